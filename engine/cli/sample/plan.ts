import type { Address } from 'viem';
import { CampaignPlan } from './campaign-plan.ts';
import { campaignScripts } from './campaigns.ts';
import { type Cast, castOf, type SampleToken } from './cast.ts';
import { seededRandom } from './random.ts';
import { claimRewards } from './sales.ts';
import { skuOf } from './script.ts';
import type { PlannedBlock } from './steps.ts';
import { DAY_SECONDS, Story } from './story.ts';

/** The sample's length: its last block stands this long after its start. */
const SAMPLE_DAYS = 30;
/** When the blocks of a day stand, in hours of the day; each up to 45 minutes later. */
const HOURS = [4, 10, 15, 20];
const JITTER_SECONDS = 2_700;
/** Sales that one transaction finalizes at most. */
const FINALIZED_AT_ONCE = 25;
/** How many of those who can claim do, each time that claims are made. */
const CLAIMING = 0.35;

/** A campaign of the sample. */
export interface SampleCampaign {
  /** Its id on the chain. */
  readonly id: bigint;
  /** Readable; part of its SKU. */
  readonly key: string;
  readonly merchant: Address;
  readonly token: Address;
}

/** The sample history: what happens, in which block, and what it happens to. */
export interface SamplePlan {
  readonly cast: Cast;
  readonly blocks: readonly PlannedBlock[];
  readonly tokens: readonly SampleToken[];
  readonly campaigns: readonly SampleCampaign[];
}

/**
 * Plans the sample: nine campaigns in thirty days. Pure: the same arguments make the same plan, to
 * the byte. It only plans what the contract allows.
 *
 * @param startTimestamp unix seconds; the first block stands a minute later, so that the chain's
 * genesis may stand there.
 */
export function planSample(options: { seed: number; startTimestamp: number }): SamplePlan {
  const { seed, startTimestamp } = options;
  const cast = castOf(seed);
  const story = new Story(cast, seededRandom(seed), startTimestamp);
  const tokens = Object.values(cast.tokens);
  story.block(startTimestamp + 60, () => deploy(story, tokens));
  const plans = campaignScripts.map((script) => new CampaignPlan(story, script, seed));
  for (const [i, timestamp] of timesOf(story).entries()) {
    story.block(timestamp, () => {
      for (const plan of plans) plan.play();
      // Not on the last day, which so leaves sales that could be finalized.
      if (i % HOURS.length === 3 && i < (SAMPLE_DAYS - 1) * HOURS.length) finalize(story, plans);
      if (i % 8 === 5) claim(story, plans);
      if (i % 24 === 23) claimProceeds(story, plans);
    });
  }
  const campaigns = plans.flatMap(({ campaign, script }) => {
    if (campaign === null) return [];
    const { id, merchant } = campaign;
    const token = cast.tokens[script.token].address;
    return [{ id, key: script.key, merchant: merchant.address, token }];
  });
  return { cast, blocks: story.blocks, tokens, campaigns };
}

/** Unix seconds of all blocks after the first. */
function timesOf({ random, startTimestamp }: Story): number[] {
  const days = Array.from({ length: SAMPLE_DAYS }, (_, day) => day);
  const times = days.flatMap((day) =>
    HOURS.map(
      (hour) => startTimestamp + day * DAY_SECONDS + hour * 3_600 + random.below(JITTER_SECONDS),
    ),
  );
  return [...times, startTimestamp + SAMPLE_DAYS * DAY_SECONDS];
}

function deploy(story: Story, tokens: readonly SampleToken[]): void {
  const { deployer } = story.cast;
  story.step(deployer, 'deploys the contract', { kind: 'deployCommerce' });
  for (const token of tokens) {
    story.step(deployer, `deploys ${token.symbol}`, { kind: 'deployToken', token });
  }
}

/** Finalizes all sales whose hold is over, whatever their campaign. */
function finalize(story: Story, plans: readonly CampaignPlan[]): void {
  const due = plans
    .flatMap(({ campaign, forgotten }) =>
      (campaign?.book.sales ?? [])
        .filter((sale) => sale.state === 'pending' && sale.holdUntil <= story.now)
        .filter((sale) => !forgotten.has(sale))
        .map((sale) => ({ sale, book: campaign?.book })),
    )
    .sort((a, b) => Number(a.sale.id - b.sale.id));
  for (let i = 0; i < due.length; i += FINALIZED_AT_ONCE) {
    const batch = due.slice(i, i + FINALIZED_AT_ONCE);
    for (const { sale, book } of batch) book?.finalize(sale);
    const saleIds = batch.map(({ sale }) => sale.id);
    story.commerce(story.cast.keeper, `finalizes the sales ${saleIds.join(', ')}`, {
      functionName: 'finalize',
      args: [saleIds],
    });
  }
}

function claim(story: Story, plans: readonly CampaignPlan[]): void {
  for (const { campaign } of plans) {
    if (campaign === null) continue;
    for (const owner of campaign.book.claimants()) {
      if (story.random.chance(CLAIMING)) claimRewards(story, campaign, owner);
    }
  }
}

function claimProceeds(story: Story, plans: readonly CampaignPlan[]): void {
  for (const { campaign } of plans) {
    if (campaign === null || campaign.book.proceedsClaimable === 0n) continue;
    campaign.book.proceedsClaimable = 0n;
    story.commerce(campaign.merchant, `claims its proceeds of ${skuOf(campaign.script)}`, {
      functionName: 'claimProceeds',
      args: [campaign.id],
    });
  }
}
