import type { CampaignLedger } from './campaign.ts';
import type { Address } from './events.ts';

/** The amounts of a campaign's ledgers that money can stand in. `netDeposited` is their source. */
const rewardBuckets = [
  'available',
  'pendingReserved',
  'vestedUnclaimed',
  'rewardsClaimed',
  'surplusWithdrawn',
] as const;
const proceedsBuckets = [
  'proceedsPending',
  'proceedsClaimable',
  'proceedsClaimed',
  'buyerRefunded',
] as const;
/** Credits are money of neither ledger: both count it as paid. */
const creditBuckets = ['creditOutstanding'] as const;
const ledgers = [rewardBuckets, proceedsBuckets, creditBuckets];
type LedgerBucket = (typeof ledgers)[number][number];

/** The events that move money, which is all that `movementsOf` can be asked about. */
export const movingEvents = [
  'CampaignFunded',
  'SurplusWithdrawn',
  'SaleRecorded',
  'RewardReleased',
  'SaleRefunded',
  'RewardVested',
  'SaleFinalized',
  'RewardReversed',
  'RewardsClaimed',
  'ProceedsClaimed',
  'PaymentCredited',
  'CreditWithdrawn',
] as const;
export type MovingEvent = (typeof movingEvents)[number];

/** An amount that one event moved between two amounts of a campaign's ledgers. */
export interface Movement {
  /** `null` from outside of the vault. */
  readonly from: LedgerBucket | null;
  /** `null` to nobody's. */
  readonly to: LedgerBucket | null;
  /** Base units, above zero. */
  readonly amount: bigint;
}

/** Buckets whose money has left the contract. */
const paidOut: ReadonlySet<LedgerBucket> = new Set([
  'rewardsClaimed',
  'surplusWithdrawn',
  'proceedsClaimed',
  'buyerRefunded',
]);

/**
 * What an event moved, from the ledgers before and after it alone. So it is complete whatever the
 * event was: also where a discrepancy made money move that no rule foresees, as a reward that
 * vested beyond its reserve and came from `available`. Rewards, proceeds and credits never mix.
 *
 * @example
 * // RewardVested of 30, of which 20 were reserved:
 * // [{ from: 'available', to: 'vestedUnclaimed', amount: 10n },
 * //  { from: 'pendingReserved', to: 'vestedUnclaimed', amount: 20n }]
 */
export function movementsOf(before: CampaignLedger, after: CampaignLedger): Movement[] {
  return ledgers.flatMap((buckets) => {
    const changes = buckets.map((bucket) => ({ bucket, left: after[bucket] - before[bucket] }));
    return pair(changes);
  });
}

interface Change {
  readonly bucket: LedgerBucket | null;
  /** Base units that came, or below zero that went, and are not told yet. */
  left: bigint;
}

/** Pairs what went with what came, in the order of the buckets; the rest is of the outside. */
function pair(changes: readonly Change[]): Movement[] {
  const total = changes.reduce((sum, { left }) => sum + left, 0n);
  const all: Change[] = [...changes, { bucket: null, left: -total }];
  const sources = all.filter(({ left }) => left < 0n);
  const targets = all.filter(({ left }) => left > 0n);
  const movements: Movement[] = [];
  for (const source of sources) {
    for (const target of targets) {
      const amount = least(-source.left, target.left);
      if (amount === 0n) continue;
      source.left += amount;
      target.left -= amount;
      movements.push({ from: source.bucket, to: target.bucket, amount });
    }
  }
  return movements;
}

/**
 * The ledgers after a movement. What comes into the rewards from outside is `netDeposited`, too.
 * Folding the movements of a campaign from zero gives its amounts after each event.
 */
export function applyMovement(
  ledger: CampaignLedger,
  { from, to, amount }: Movement,
): CampaignLedger {
  const next: { -readonly [F in keyof CampaignLedger]: bigint } = { ...ledger };
  if (from !== null) next[from] -= amount;
  if (to !== null) next[to] += amount;
  if (from === null && isReward(to)) next.netDeposited += amount;
  if (to === null && isReward(from)) next.netDeposited -= amount;
  return next;
}

/**
 * Who gave or got a movement's amount: the account that its event names; `null` where the money
 * stayed within the vault.
 */
export function partyOf(
  { from, to }: Pick<Movement, 'from' | 'to'>,
  args: Readonly<Record<string, unknown>>,
): Address | null {
  const outside = from === null || to === null || paidOut.has(to) || paidOut.has(from);
  if (!outside) return null;
  const named = args.account ?? args.buyer;
  if (typeof named !== 'string' || !/^0x[0-9a-f]{40}$/.test(named)) return null;
  return `0x${named.slice(2)}`;
}

function isReward(bucket: LedgerBucket | null): boolean {
  return rewardBuckets.some((one) => one === bucket);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
