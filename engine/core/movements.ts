import { min, sum } from './amounts.ts';
import type { CampaignLedger } from './campaign.ts';
import type { Address } from './events.ts';

/** Buckets of the reward ledger. `netDeposited` is their source. */
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
/** Credits belong to neither ledger: both count them as paid. */
const creditBuckets = ['creditOutstanding'] as const;
const ledgers = [rewardBuckets, proceedsBuckets, creditBuckets];
type LedgerBucket = (typeof ledgers)[number][number];

/** The events that move money. */
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
/** Name of an event that moves money. */
export type MovingEvent = (typeof movingEvents)[number];

/** An amount that one event moved between two buckets of a campaign's ledgers. */
export interface Movement {
  /** `null` if it came from outside the vault. */
  readonly from: LedgerBucket | null;
  /** `null` if it went to no bucket. */
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
 * The movements of an event, computed only from the ledgers before and after it. So they are complete
 * even if a discrepancy moved money that no rule foresees, such as a reward that vested beyond its
 * reserve and came from `available`. Rewards, proceeds and credits never mix.
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
  /** Base units that came (above 0) or went (below 0) and are in no movement yet. */
  left: bigint;
}

/** Pairs decreases with increases, in the order of the buckets; the rest came from or went outside. */
function pair(changes: readonly Change[]): Movement[] {
  const total = sum(changes.map(({ left }) => left));
  const all: Change[] = [...changes, { bucket: null, left: -total }];
  const sources = all.filter(({ left }) => left < 0n);
  const targets = all.filter(({ left }) => left > 0n);
  const movements: Movement[] = [];
  for (const source of sources) {
    for (const target of targets) {
      const amount = min(-source.left, target.left);
      if (amount === 0n) continue;
      source.left += amount;
      target.left -= amount;
      movements.push({ from: source.bucket, to: target.bucket, amount });
    }
  }
  return movements;
}

/**
 * The ledgers after a movement. Money that enters the reward ledger from outside also raises
 * `netDeposited`. Applying all movements of a campaign to an empty ledger gives its current amounts.
 * @internal for tests that add movements up.
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
 * The account that paid or received the amount of a movement, from the arguments of its event; `null`
 * if the money stayed in the vault.
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
