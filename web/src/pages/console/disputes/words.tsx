import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';

export type Dispute = DataOf<Client['disputes']['get']>;
export type DisputeStatus = Dispute['status'];

/** Reasons that a buyer can give, in words. */
export const reasons: Readonly<Record<Dispute['reason'], string>> = {
  not_received: 'Not received',
  not_as_described: 'Not as described',
  charged_in_error: 'Charged in error',
  other: 'Other',
};

/** States of a refund request, from the merchant's side. */
export const statuses: Readonly<Record<DisputeStatus, { word: string; tone: Tone }>> = {
  open: { word: 'waits for your answer', tone: 'bad' },
  accepted: { word: 'accepted, refund to sign', tone: 'warn' },
  declined: { word: 'declined', tone: 'plain' },
  withdrawn: { word: 'withdrawn', tone: 'plain' },
  refunded: { word: 'refunded', tone: 'good' },
  expired: { word: 'expired', tone: 'plain' },
};

export function DisputeState({ value }: { readonly value: DisputeStatus }) {
  const { word, tone } = statuses[value];
  return <Badge tone={tone}>{word}</Badge>;
}
