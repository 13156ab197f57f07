import type { Address } from './events.ts';
import { TEST_EVENT_TYPE } from './webhook-events.ts';
import type { WebhookBody } from './webhook-message.ts';

/** Something that happened in this service and not on the chain. */
export interface ServiceEventFacts {
  readonly id: string;
  readonly type: string;
  /** Accounts that it concerns. */
  readonly accounts: readonly Address[];
  readonly campaignId: string | null;
  /** Dispute, invitation, report or endpoint that it is about. */
  readonly subjectId: string | null;
  /** Base units. */
  readonly amount: bigint | null;
  readonly at: Date;
}

/** Body of the delivery of an event of this service. */
export function serviceMessageOf(
  publicUrl: string,
  { id, type, accounts, campaignId, subjectId, amount, at }: ServiceEventFacts,
): WebhookBody {
  return {
    type,
    timestamp: at.toISOString(),
    data: {
      eventId: id,
      retracts: null,
      finality: null,
      campaignId,
      saleId: null,
      amount: amount === null ? null : amount.toString(),
      accounts: [...accounts],
      subjectId,
      chain: null,
      links: { self: linkOf(publicUrl, type, subjectId), verify: null },
    },
  };
}

/** Body of a test delivery, which means nothing. */
export function testMessageOf(id: string, account: Address, at: Date): WebhookBody {
  const nothing = { campaignId: null, subjectId: null, amount: null };
  return serviceMessageOf('', { id, type: TEST_EVENT_TYPE, accounts: [account], at, ...nothing });
}

/** Route of the object of an event, for accounts that may read it. */
function linkOf(publicUrl: string, type: string, subjectId: string | null): string | null {
  const [resource = ''] = type.split('.');
  const path = { dispute: 'disputes', report: 'reports' }[resource];
  if (path === undefined) return null;
  return `${publicUrl}/v1/merchant/${path}/${subjectId}`;
}
