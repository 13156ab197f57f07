import type { Method } from './define.ts';
import { account } from './resources/account.ts';
import { analytics } from './resources/analytics.ts';
import { apiKeys } from './resources/api-keys.ts';
import { attestations } from './resources/attestations.ts';
import { auth } from './resources/auth.ts';
import { billing } from './resources/billing.ts';
import { blocks } from './resources/blocks.ts';
import { campaigns } from './resources/campaigns.ts';
import { checkout } from './resources/checkout.ts';
import { deliveries } from './resources/deliveries.ts';
import {
  communities,
  integrations,
  partnerships,
  signers,
  subscriptions,
} from './resources/designed.ts';
import { disputes } from './resources/disputes.ts';
import { distributors } from './resources/distributors.ts';
import { earnings } from './resources/earnings.ts';
import { events } from './resources/events.ts';
import { fulfillment } from './resources/fulfillment.ts';
import { graph } from './resources/graph.ts';
import { intents } from './resources/intents.ts';
import { invitations } from './resources/invitations.ts';
import { joinRequests } from './resources/join-requests.ts';
import { ledger } from './resources/ledger.ts';
import { links } from './resources/links.ts';
import { lookups } from './resources/lookups.ts';
import { merchants } from './resources/merchants.ts';
import { metadata } from './resources/metadata.ts';
import { moderation } from './resources/moderation.ts';
import { notifications } from './resources/notifications.ts';
import { operations } from './resources/operations.ts';
import { orders } from './resources/orders.ts';
import { partners } from './resources/partners.ts';
import { payouts } from './resources/payouts.ts';
import { permissions } from './resources/permissions.ts';
import { policies } from './resources/policies.ts';
import { prices } from './resources/prices.ts';
import { products } from './resources/products.ts';
import { receipts } from './resources/receipts.ts';
import { referrals } from './resources/referrals.ts';
import { refundRequests } from './resources/refund-requests.ts';
import { reports } from './resources/reports.ts';
import { reputation } from './resources/reputation.ts';
import { search } from './resources/search.ts';
import { statements } from './resources/statements.ts';
import { studio } from './resources/studio.ts';
import { system } from './resources/system.ts';
import { team } from './resources/team.ts';
import { tokens } from './resources/tokens.ts';
import { transactions } from './resources/transactions.ts';
import { vault } from './resources/vault.ts';
import { versions } from './resources/versions.ts';
import { webhooks } from './resources/webhooks.ts';

/** Every method of the API, by resource. */
export const registry = {
  campaigns,
  products,
  merchants,
  studio,
  checkout,
  intents,
  receipts,
  orders,
  deliveries,
  fulfillment,
  earnings,
  statements,
  notifications,
  payouts,
  vault,
  operations,
  attestations,
  reports,
  disputes,
  refundRequests,
  links,
  referrals,
  graph,
  reputation,
  distributors,
  partners,
  invitations,
  joinRequests,
  analytics,
  billing,
  integrations,
  signers,
  apiKeys,
  webhooks,
  team,
  subscriptions,
  partnerships,
  communities,
  transactions,
  blocks,
  events,
  policies,
  prices,
  metadata,
  permissions,
  versions,
  ledger,
  lookups,
  tokens,
  search,
  auth,
  account,
  moderation,
  system,
} as const;

/** Every method of the API, as a list. */
export const methods: readonly Method[] = Object.values(registry).flatMap((resource) =>
  Object.values(resource),
);

/**
 * Resources whose `optional` methods answer 501 unless a deployment enables them: by DESIGNED_METHODS, and
 * `notifications` by SMTP_URL.
 */
export const optionalResources = ['apiKeys', 'team', 'webhooks', 'notifications'] as const;

/** Resource whose `optional` methods answer 501 unless a deployment enables them. */
export type OptionalResource = (typeof optionalResources)[number];

/** Every method as a deployment serves it: `optional` ones are live if it enables their resource. */
export function servedMethods(enabled: ReadonlySet<OptionalResource>): readonly ServedMethod[] {
  return methods.map((method) => {
    const { name, availability } = method;
    if (availability !== 'optional') return { ...method, availability };
    const isOn = optionalResources.some((one) => enabled.has(one) && name.startsWith(`${one}.`));
    return { ...method, availability: isOn ? 'live' : 'designed' };
  });
}

/** A method that a deployment serves, or answers 501 for. */
export type ServedMethod = Method & { readonly availability: 'live' | 'designed' };
