import type { Address } from 'viem';
import { claimProceedsEvents, finalizeEvents } from '../engine/core/fold/index.ts';
import { type Actors, actorsOf, type SampleToken } from './actors.ts';
import { foldEvents, type PlannedCampaign } from './campaign.ts';
import { CampaignTimeline } from './campaign-timeline.ts';
import type { PlannedBlock } from './planned-transaction.ts';
import { seededRandom } from './random.ts';
import { claimRewards } from './sales.ts';
import { skuOf } from './scenario.ts';
import { campaignScenarios } from './scenarios.ts';
import { DAY_SECONDS, Timeline } from './timeline.ts';

/** Days from the sample's start to its last block. */
const SAMPLE_DAYS = 30;
/** Hours of the day at which blocks are planned; each is up to 45 minutes later. */
const HOURS = [4, 10, 15, 20];
const JITTER_SECONDS = 2_700;
/** Maximum number of sales that one transaction finalizes. */
const MAX_FINALIZED = 25;
/** Probability that an account with claimable rewards claims them on a day of claims. */
const CLAIM_PROBABILITY = 0.35;

/** A campaign of the sample. */
export interface SampleCampaign {
  /** Its id on the chain. */
  readonly id: bigint;
  /** Readable; part of its SKU. */
  readonly key: string;
  readonly merchant: Address;
  readonly token: Address;
}

/** The sample history: its blocks, tokens and campaigns. */
export interface SamplePlan {
  readonly actors: Actors;
  readonly blocks: readonly PlannedBlock[];
  readonly tokens: readonly SampleToken[];
  readonly campaigns: readonly SampleCampaign[];
}

/**
 * Plans the sample: nine campaigns in thirty days. Pure: the same arguments give the same plan, byte
 * for byte. It only plans what the contract allows.
 *
 * @param startTimestamp unix seconds; the first block is a minute later, so that the chain's genesis
 * block can have this time.
 * @param chainId of the chain that it will run on; by default of a local one.
 */
export function planSample(options: {
  readonly seed: number;
  readonly startTimestamp: number;
  readonly chainId?: number;
}): SamplePlan {
  const { seed, startTimestamp, chainId } = options;
  const actors = actorsOf(seed);
  const timeline = new Timeline(actors, seededRandom(seed), startTimestamp, chainId);
  const tokens = Object.values(actors.tokens);
  timeline.block(startTimestamp + 60, () => deploy(timeline, tokens));
  const plans = campaignScenarios.map((scenario) => new CampaignTimeline(timeline, scenario, seed));
  for (const [i, timestamp] of timesOf(timeline).entries()) {
    timeline.block(timestamp, () => {
      for (const plan of plans) plan.advance();
      // Not on the last day: the sample ends with sales that can be finalized.
      if (i % HOURS.length === 3 && i < (SAMPLE_DAYS - 1) * HOURS.length) finalize(timeline, plans);
      if (i % 8 === 5) claim(timeline, plans);
      if (i % 24 === 23) claimProceeds(timeline, plans);
    });
  }
  const campaigns = plans.flatMap(({ campaign, scenario }) => {
    if (campaign === null) return [];
    const { id, merchant } = campaign;
    const token = actors.tokens[scenario.token].address;
    return [{ id, key: scenario.key, merchant: merchant.address, token }];
  });
  return { actors, blocks: timeline.blocks, tokens, campaigns };
}

/** Unix seconds of all blocks after the first. */
function timesOf({ random, startTimestamp }: Timeline): number[] {
  const days = Array.from({ length: SAMPLE_DAYS }, (_, day) => day);
  const times = days.flatMap((day) =>
    HOURS.map(
      (hour) => startTimestamp + day * DAY_SECONDS + hour * 3_600 + random.below(JITTER_SECONDS),
    ),
  );
  return [...times, startTimestamp + SAMPLE_DAYS * DAY_SECONDS];
}

function deploy(timeline: Timeline, tokens: readonly SampleToken[]): void {
  const { deployer } = timeline.actors;
  timeline.add(deployer, 'deploys the contract', { kind: 'deployCommerce' });
  for (const token of tokens) {
    timeline.add(deployer, `deploys ${token.symbol}`, { kind: 'deployToken', token });
  }
}

/** Finalizes all sales whose hold is over, of all campaigns. */
function finalize(timeline: Timeline, plans: readonly CampaignTimeline[]): void {
  const due = plans
    .flatMap(({ campaign, neverFinalized }) => {
      if (campaign === null) return [];
      return [...campaign.ledger.sales.values()]
        .filter(({ state, holdUntil }) => state === 'pending' && holdUntil <= timeline.now)
        .filter(({ saleId }) => !neverFinalized.has(saleId))
        .map(({ saleId }) => ({ saleId, campaign }));
    })
    .sort((a, b) => Number(a.saleId) - Number(b.saleId));
  for (let i = 0; i < due.length; i += MAX_FINALIZED) {
    const batch = due.slice(i, i + MAX_FINALIZED);
    for (const { saleId, campaign } of batch) {
      foldEvents(timeline, campaign, finalizeEvents(campaign.ledger, saleId));
    }
    const saleIds = batch.map(({ saleId }) => BigInt(saleId));
    timeline.call(timeline.actors.keeper, `finalizes the sales ${saleIds.join(', ')}`, {
      functionName: 'finalize',
      args: [saleIds],
    });
  }
}

function claim(timeline: Timeline, plans: readonly CampaignTimeline[]): void {
  for (const { campaign } of plans) {
    if (campaign === null) continue;
    for (const account of claimants(campaign)) {
      if (timeline.random.chance(CLAIM_PROBABILITY)) claimRewards(timeline, campaign, account);
    }
  }
}

/** Accounts with claimable rewards, in the order of their first reward. */
function claimants({ ledger }: PlannedCampaign): Address[] {
  const vested = [...ledger.sales.values()]
    .flatMap(({ levels }) => levels)
    .filter(({ vestedSeq }) => vestedSeq !== null)
    .sort((a, b) => Number(a.vestedSeq) - Number(b.vestedSeq));
  const accounts = new Set(vested.map(({ recipient }) => recipient));
  return [...accounts].filter((account) => (ledger.accounts.get(account)?.claimable ?? 0n) > 0n);
}

function claimProceeds(timeline: Timeline, plans: readonly CampaignTimeline[]): void {
  for (const { campaign } of plans) {
    if (campaign === null || campaign.ledger.snapshot.ledger.proceedsClaimable === 0n) continue;
    foldEvents(timeline, campaign, claimProceedsEvents(campaign.ledger));
    timeline.call(campaign.merchant, `claims its proceeds of ${skuOf(campaign.scenario)}`, {
      functionName: 'claimProceeds',
      args: [campaign.id],
    });
  }
}
