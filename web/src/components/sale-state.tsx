import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { Badge, type Tone } from './badge.tsx';

type State = DataOf<Client['receipts']['get']>['state'];

const tones: Record<State, Tone> = {
  pending: 'warn',
  finalized: 'good',
  refunded: 'plain',
  reversed: 'bad',
};

/** The state of a sale. */
export function SaleState({ value }: { readonly value: State }) {
  return <Badge tone={tones[value]}>{value}</Badge>;
}
