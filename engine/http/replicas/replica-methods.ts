import type { Method } from '../../contract/define.ts';
import type { LiveName } from '../../contract/types.ts';
import { isForEverybody } from '../public-reads.ts';

/** Public reads that always use the primary. */
const onPrimary = [
  // Begins a purchase, whose next step reads the primary.
  'checkout.preview',
  // Returns constants.
  'events.types',
  'products.categories',
  'system.endpoints',
  // Describes the service itself.
  'system.status',
] as const satisfies readonly LiveName[];

/**
 * Reads of a session that a replica may answer: they sum up or list the ledger, which settlement alone
 * writes. Their session is looked up on the primary.
 */
const ofSession = [
  'analytics.campaign',
  'analytics.merchant',
  'campaigns.distributors',
  'earnings.byCampaign',
  'earnings.byConversion',
  'earnings.claims',
  'earnings.missed',
  'earnings.summary',
  'partners.get',
  'partners.list',
  'partners.sales',
  'receipts.forBuyer',
  'receipts.forMerchant',
  'statements.csv',
  'statements.earnings',
] as const satisfies readonly LiveName[];

const exceptions: ReadonlySet<string> = new Set(onPrimary);
const sessionReads: ReadonlySet<string> = new Set(ofSession);

/**
 * True if a replica may answer a method: a public GET, except those that need the primary, and the
 * named reads of a session. All of them only read.
 */
export function isReplicaRead(method: Method): boolean {
  if (method.method !== 'GET') return false;
  return isForEverybody(method) ? !exceptions.has(method.name) : sessionReads.has(method.name);
}
