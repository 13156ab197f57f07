import type { EventName } from './events.ts';
import type { Finality } from './finality.ts';

/** Name that webhooks give to each event of the contract (docs/use/webhooks.md#events). */
export const contractEventTypes = {
  CampaignCreated: 'campaign.created',
  CapacityRaised: 'campaign.capacity_raised',
  VariantPriced: 'price.set',
  PolicyScheduled: 'policy.scheduled',
  CampaignFunded: 'campaign.funded',
  SurplusWithdrawn: 'campaign.surplus_withdrawn',
  CampaignPaused: 'campaign.paused',
  CampaignResumed: 'campaign.resumed',
  CampaignEnded: 'campaign.ended',
  DistributorAllowed: 'distributor.allowed',
  AttesterAllowed: 'attester.allowed',
  NodeJoined: 'node.joined',
  SaleRecorded: 'sale.recorded',
  SaleAttested: 'sale.attested',
  RewardReleased: 'reward.released',
  SaleRefunded: 'sale.refunded',
  RewardVested: 'reward.claimable',
  SaleFinalized: 'sale.finalized',
  RewardReversed: 'reward.reversed',
  SaleReversed: 'sale.reversed',
  RewardsClaimed: 'reward.claimed',
  ProceedsClaimed: 'proceeds.claimed',
  PaymentCredited: 'payment.credited',
  CreditWithdrawn: 'credit.withdrawn',
} as const satisfies Readonly<Record<EventName, string>>;

/** Names of what happens in this service, and not on the chain. */
export const serviceEventTypes = [
  'dispute.opened',
  'dispute.answered',
  'dispute.withdrawn',
  'invitation.received',
  'invitation.answered',
  'report.ready',
  'report.failed',
  'webhook.disabled',
] as const;

/** Name of a test delivery. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** Name of an event that is subscribed to; its retraction has the same name and `.retracted`. */
export type WebhookEventType =
  | (typeof contractEventTypes)[EventName]
  | (typeof serviceEventTypes)[number];

/** All names that an endpoint can subscribe to, sorted. */
export const webhookEventTypes: readonly WebhookEventType[] = [
  ...Object.values(contractEventTypes),
  ...serviceEventTypes,
].sort();

/** Events that an endpoint subscribes to: a name or a group, and how final they must be. */
export interface Subscription {
  /** Exact name, or `group.*`, or `*`. */
  readonly pattern: string;
  /** `pending` if it is sent once its block is settled. */
  readonly finality: Finality;
}

const FORM = /^(\*|[a-z]+\.(?:\*|[a-z_]+))(?:@(safe|finalized))?$/;

/**
 * Reads a subscription such as `sale.recorded`, `sale.*@safe` or `*@finalized`.
 * @returns `undefined` if it is malformed, or names no event.
 */
export function readSubscription(text: string): Subscription | undefined {
  const [, pattern, finality = 'pending'] = FORM.exec(text) ?? [];
  if (pattern === undefined) return undefined;
  if (!webhookEventTypes.some((type) => isNamedBy(pattern, type))) return undefined;
  return { pattern, finality: finality as Finality };
}

/**
 * How final an event must be for an endpoint: the least of its subscriptions that name it.
 * @returns `undefined` if none does.
 */
export function neededFinality(
  subscriptions: readonly Subscription[],
  type: WebhookEventType,
): Finality | undefined {
  const named = subscriptions.filter(({ pattern }) => isNamedBy(pattern, type));
  const finalities = new Set(named.map(({ finality }) => finality));
  return (['pending', 'safe', 'finalized'] as const).find((one) => finalities.has(one));
}

function isNamedBy(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}
