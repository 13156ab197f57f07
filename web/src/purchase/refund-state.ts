import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import type { Tone } from '../components/badge.tsx';

/** A refund request of the caller, with its messages. */
export type RefundRequest = DataOf<Client['refundRequests']['get']>;

/** Name and colour of each status of a refund request. */
export const refundStates: Readonly<
  Record<RefundRequest['status'], { readonly name: string; readonly tone: Tone }>
> = {
  open: { name: 'Refund requested', tone: 'warn' },
  accepted: { name: 'Refund accepted', tone: 'good' },
  declined: { name: 'Refund declined', tone: 'bad' },
  withdrawn: { name: 'Request withdrawn', tone: 'plain' },
  refunded: { name: 'Refunded', tone: 'good' },
  expired: { name: 'Not refunded in time', tone: 'plain' },
};

/** Reasons for a refund, as the form offers them. */
export const refundReasons: Readonly<Record<RefundRequest['reason'], string>> = {
  not_received: 'I did not receive it',
  not_as_described: 'It is not as described',
  charged_in_error: 'I was charged in error',
  other: 'Another reason',
};
