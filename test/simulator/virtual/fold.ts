import { EMPTY_DIGEST, type Keccak256, nextDigest } from '../../../engine/core/digest.ts';
import type { Fact, Hex } from '../../../engine/core/events.ts';
import { applyAll, emptyCampaign, type FoldState } from '../../../engine/core/fold/index.ts';
import { digestRoot } from '../../../engine/core/merkle.ts';
import { type Expected, locationOf } from '../check/expected.ts';
import { commonBlock, type VirtualBlock } from './chain.ts';

/** States of a campaign that are stored, so that a reorg does not fold it from its beginning. */
const MAX_STATES = 24;

interface FoldedCampaign {
  readonly facts: Fact[];
  readonly digests: Hex[];
  readonly discrepancies: number[];
  /** States after so many facts, the newest last. */
  states: { readonly count: number; readonly state: FoldState }[];
}

/** The fold in memory, without a database, that follows a chain through its reorgs. */
export class ChainFold {
  /** Digests that any fork of the chain ever had. */
  readonly known = new Set<Hex>();
  readonly #campaigns = new Map<string, FoldedCampaign>();
  #blocks: VirtualBlock[] = [];
  #events = 0;

  constructor(readonly keccak256: Keccak256) {}

  /** Folds what a chain has now, and unfolds what it has no longer. */
  follow(blocks: readonly VirtualBlock[]): void {
    const common = this.#blocks.length === 0 ? -1 : commonBlock(this.#blocks, blocks);
    const removed = this.#blocks.splice(common + 1).flatMap(({ facts }) => facts);
    for (const id of new Set(removed.map(({ campaignId }) => campaignId))) this.#cut(id, common);
    const added = blocks.slice(common + 1);
    this.#blocks.push(...added);
    const facts = added.flatMap((block) => block.facts);
    this.#events += facts.length - removed.length;
    const byCampaign = new Map<string, Fact[]>();
    for (const fact of facts) {
      const own = byCampaign.get(fact.campaignId);
      if (own === undefined) byCampaign.set(fact.campaignId, [fact]);
      else own.push(fact);
    }
    for (const [id, own] of byCampaign) this.#fold(id, own);
  }

  /** The expected ledger at the head. */
  expected(): Expected {
    const folded = [...this.#campaigns].filter(([, { facts }]) => facts.length > 0);
    const campaigns = new Map(
      folded.map(([id, { facts, digests, discrepancies, states }]) => [
        id,
        {
          state: states.at(-1)?.state ?? emptyCampaign(id),
          digests,
          lastEvent: locationOf(facts.at(-1)),
          discrepancies: discrepancies.reduce((sum, count) => sum + count, 0),
        },
      ]),
    );
    return { campaigns, root: this.rootOf(campaigns.keys()), events: this.#events };
  }

  /** The root over some campaigns. */
  rootOf(ids: Iterable<string>): Hex {
    const newest = [...ids].map((campaignId) => ({
      campaignId,
      digest: this.#campaigns.get(campaignId)?.digests.at(-1) ?? EMPTY_DIGEST,
    }));
    return digestRoot(this.keccak256, newest);
  }

  /** Removes the facts of a campaign above a block. */
  #cut(id: string, block: number): void {
    const campaign = this.#campaignOf(id);
    const count = campaign.facts.findLastIndex(({ blockNumber }) => blockNumber <= block) + 1;
    const facts = campaign.facts.splice(count);
    campaign.states = campaign.states.filter((one) => one.count <= count);
    campaign.digests.splice(count);
    campaign.discrepancies.splice(count);
    if (facts.length > 0) this.#fold(id, []);
  }

  #fold(id: string, added: readonly Fact[]): void {
    const campaign = this.#campaignOf(id);
    campaign.facts.push(...added);
    const from = campaign.states.at(-1) ?? { count: 0, state: emptyCampaign(id) };
    const { state, applied } = applyAll(from.state, campaign.facts.slice(from.count));
    let digest = campaign.digests[from.count - 1] ?? EMPTY_DIGEST;
    for (const [i, one] of applied.entries()) {
      digest = nextDigest(this.keccak256, digest, one);
      campaign.digests[from.count + i] = digest;
      campaign.discrepancies[from.count + i] = one.discrepancies.length;
      this.known.add(digest);
    }
    const next = { count: campaign.facts.length, state };
    campaign.states = [...campaign.states.slice(1 - MAX_STATES), next];
  }

  #campaignOf(id: string): FoldedCampaign {
    const known = this.#campaigns.get(id);
    if (known !== undefined) return known;
    const campaign = { facts: [], digests: [], discrepancies: [], states: [] };
    this.#campaigns.set(id, campaign);
    return campaign;
  }
}
