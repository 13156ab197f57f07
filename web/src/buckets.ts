/** Where money is, for colours: one colour per bucket on all pages (`styles/tokens.css`). */
export type Bucket = 'available' | 'hold' | 'ready' | 'claimable' | 'claimed' | 'returned';

const buckets: Readonly<Record<string, Bucket>> = {
  available: 'available',
  pending: 'hold',
  reserved: 'hold',
  atRisk: 'hold',
  pendingReserved: 'hold',
  proceedsPending: 'hold',
  readyToFinalize: 'ready',
  vested: 'claimable',
  claimable: 'claimable',
  vestedUnclaimed: 'claimable',
  proceedsClaimable: 'claimable',
  finalized: 'claimed',
  claimed: 'claimed',
  rewardsClaimed: 'claimed',
  proceedsClaimed: 'claimed',
  refunded: 'returned',
  reversed: 'returned',
  buyerRefunded: 'returned',
  surplusWithdrawn: 'returned',
};

/** Bucket of a part of a ledger, by the name that the API gives it. */
const bucketOf = (name: string): Bucket => buckets[name] ?? 'available';

/** Colour of a bucket, as CSS takes it. */
export const colourOf = (name: string): string => `var(--bucket-${bucketOf(name)})`;
