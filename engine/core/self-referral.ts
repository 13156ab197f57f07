/** A sale, as far as this rule reads it. */
interface SoldThrough {
  readonly buyer: string;
  /** Nodes that the sale rewards. */
  readonly path: readonly { readonly nodeId: string; readonly owner: string }[];
}

/**
 * Nodes of a sale's path that its buyer owns, so that the buyer gets their rewards: a self-referral, which a policy can
 * exclude (docs/reference/protocol.md#policy).
 */
export function selfReferralOf({ buyer, path }: SoldThrough): string[] {
  const account = buyer.toLowerCase();
  return path.filter(({ owner }) => owner.toLowerCase() === account).map(({ nodeId }) => nodeId);
}
