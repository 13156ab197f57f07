/** Where money is, for colours: one colour per bucket on all pages (`styles/tokens.css`). */
type Bucket = 'available' | 'hold' | 'ready' | 'claimable' | 'claimed' | 'returned';

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

/** Colour of a part of a whole by the name that the API gives it, as CSS takes it: of its bucket, if it has one. */
export function colourOf(name: string): string {
  const bucket = buckets[name];
  return bucket === undefined ? 'var(--part-1)' : `var(--bucket-${bucket})`;
}
