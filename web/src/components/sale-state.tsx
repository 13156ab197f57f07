import type { Client } from '../../../engine/client/index.ts';
import type { Answer } from '../api.ts';
import { Badge, type Tone } from './badge.tsx';

type State = Answer<Client['receipts']['get']>['state'];

const tones: Record<State, Tone> = {
  pending: 'warn',
  finalized: 'good',
  refunded: 'plain',
  reversed: 'bad',
};

/** Where a sale stands. */
export function SaleState({ value }: { readonly value: State }) {
  return <Badge tone={tones[value]}>{value}</Badge>;
}
