import type { CallableName } from '../../contract/types.ts';

/**
 * Methods whose responses are cached: many callers ask for the same, or one page asks for it repeatedly,
 * and it costs more than reading a row by its key. Single rows of a ledger of millions are left out, because hardly
 * anybody asks for the same one twice. So are methods that read the chain or the clock.
 */
const names = [
  'analytics.campaign',
  'analytics.merchant',
  'campaigns.activity',
  'campaigns.distributors',
  'campaigns.get',
  'campaigns.list',
  'campaigns.mine',
  'campaigns.policy',
  'campaigns.stats',
  'distributors.get',
  'distributors.list',
  'earnings.byCampaign',
  'earnings.summary',
  'graph.forCampaign',
  'merchants.get',
  'merchants.list',
  'merchants.offers',
  'merchants.record',
  'partners.list',
  'receipts.forCampaign',
  'receipts.recent',
  'system.activity',
  'tokens.list',
] as const satisfies readonly CallableName[];

/** Name of a method whose responses are cached. */
export type CacheableName = (typeof names)[number];

const cacheable: ReadonlySet<string> = new Set(names);

/** True if responses of that method are cached. */
export function isCacheable(name: string): boolean {
  return cacheable.has(name);
}
