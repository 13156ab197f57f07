import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import type { Term } from '../terms.ts';
import { Badge, type Tone } from './badge.tsx';
import { Explain } from './explain.tsx';

type State = DataOf<Client['receipts']['get']>['state'];

const tones: Record<State, Tone> = {
  pending: 'warn',
  finalized: 'good',
  refunded: 'plain',
  reversed: 'bad',
};

/** A finalized sale is "completed" on pages: "final" is said of blocks. */
const terms: Readonly<Record<State, Term>> = {
  pending: 'onHold',
  finalized: 'completed',
  refunded: 'refunded',
  reversed: 'reversed',
};

/** The state of a sale, with its explanation. */
export function SaleState({ value }: { readonly value: State }) {
  return (
    <Badge tone={tones[value]}>
      <Explain term={terms[value]} />
    </Badge>
  );
}
