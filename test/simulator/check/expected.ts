import { EMPTY_DIGEST, type Keccak256, nextDigest } from '../../../engine/core/digest.ts';
import type { Fact, Hex } from '../../../engine/core/events.ts';
import { applyAll, emptyCampaign, type FoldState } from '../../../engine/core/fold/index.ts';
import { type DigestLeaf, digestRoot } from '../../../engine/core/merkle.ts';

/** A campaign as an undisturbed run over the chain leaves it. */
export interface ExpectedCampaign {
  readonly state: FoldState;
  /** The digest after each event: the one after the first is at 0. */
  readonly digests: readonly Hex[];
  /** Block and log of the newest event; empty if there is none. */
  readonly lastEvent: string;
  /** Discrepancies that the fold found; a chain of our contract has none. */
  readonly discrepancies: number;
}

/** Block and log of an event, as the check of cursors compares them. */
export function locationOf(fact: Fact | undefined): string {
  return fact === undefined ? '' : `${fact.blockNumber} ${fact.logIndex}`;
}

/** The expected ledger, folded in memory from the chain's own logs. */
export interface Expected {
  readonly campaigns: ReadonlyMap<string, ExpectedCampaign>;
  readonly root: Hex;
  readonly events: number;
}

/** Folds a chain's facts from the first to the last, in one go and without a database. */
export function expectedOf(keccak256: Keccak256, facts: readonly Fact[]): Expected {
  const campaigns = new Map<string, ExpectedCampaign>();
  for (const [campaignId, own] of byCampaign(facts)) {
    const { state, applied } = applyAll(emptyCampaign(campaignId), own);
    let digest: Hex = EMPTY_DIGEST;
    const digests = applied.map((one) => {
      digest = nextDigest(keccak256, digest, one);
      return digest;
    });
    campaigns.set(campaignId, {
      state,
      digests,
      lastEvent: locationOf(own.at(-1)),
      discrepancies: applied.reduce((sum, one) => sum + one.discrepancies.length, 0),
    });
  }
  const newest: DigestLeaf[] = [...campaigns].map(([campaignId, { digests }]) => ({
    campaignId,
    digest: digests.at(-1) ?? EMPTY_DIGEST,
  }));
  return { campaigns, root: digestRoot(keccak256, newest), events: facts.length };
}

function byCampaign(facts: readonly Fact[]): Map<string, Fact[]> {
  const grouped = new Map<string, Fact[]>();
  for (const fact of facts) {
    const own = grouped.get(fact.campaignId);
    if (own === undefined) grouped.set(fact.campaignId, [fact]);
    else own.push(fact);
  }
  return grouped;
}
