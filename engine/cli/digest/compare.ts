import { keccak256 } from 'viem';
import type { Keccak256 } from '../../core/digest.ts';
import { compareIds, digestRoot } from '../../core/merkle.ts';
import { CommandError } from '../exit-codes.ts';
import type { CampaignDigest, DigestEvent, Side } from './side.ts';

const keccak: Keccak256 = (bytes) => keccak256(bytes, 'bytes');

/** Where two deployments differ; `null` where they do not. */
export interface Comparison {
  /** The newest block that both have settled: nothing above it was compared. */
  readonly block: number;
  readonly roots: readonly [string, string];
  /** Campaigns that a side has stopped: they are under neither root, and were not compared. */
  readonly leftOut: readonly string[];
  readonly difference: Difference | null;
}

export interface Difference {
  /** The first block after which their roots differ. */
  readonly block: number;
  /** Campaigns whose digests differ after that block, by id. */
  readonly campaigns: readonly DifferingCampaign[];
  /** The first event of the first of them that differs. */
  readonly event: {
    readonly sequence: number;
    readonly sides: readonly [DigestEvent | null, DigestEvent | null];
  } | null;
}

export interface DifferingCampaign {
  readonly campaignId: string;
  readonly sides: readonly [CampaignDigest | null, CampaignDigest | null];
}

/**
 * Finds the first block and campaign at which two deployments differ. A digest runs on from the one
 * before it, so that once two differ they differ for good: the block is found by halves.
 * @throws {CommandError} where they serve different contracts, or a side does not answer.
 */
export async function compareSides(one: Side, other: Side): Promise<Comparison> {
  const [a, b] = await Promise.all([one.deployment(), other.deployment()]);
  if (a.name !== b.name) {
    throw new CommandError(
      `They are of different deployments: ${one.url} serves ${a.name}, ${other.url} ${b.name}.`,
    );
  }
  const block = Math.min(a.settled, b.settled);
  const sides = await Promise.all([one.root(block), other.root(block)]);
  const leftOut = [...new Set(sides.flatMap((side) => side.leftOut))].sort(compareIds);
  const roots = await rootsAt(one, other, block, leftOut);
  if (roots[0] === roots[1]) return { block, roots, leftOut, difference: null };
  const first = await firstWhere(block, async (number) => {
    const [left, right] = await rootsAt(one, other, number, leftOut);
    return left !== right;
  });
  const campaigns = (await differingCampaigns(one, other, first)).filter(
    ({ campaignId }) => !leftOut.includes(campaignId),
  );
  const [campaign] = campaigns;
  const event = campaign === undefined ? null : await firstEvent(one, other, campaign, first);
  return { block, roots, leftOut, difference: { block: first, campaigns, event } };
}

/** Both roots over the campaigns that neither side leaves out: computed here if there are such. */
async function rootsAt(
  one: Side,
  other: Side,
  block: number,
  leftOut: readonly string[],
): Promise<[string, string]> {
  const rootOf = async (side: Side) => {
    if (leftOut.length === 0) return (await side.root(block)).root;
    const { campaigns } = await side.digests(block);
    return digestRoot(
      keccak,
      campaigns.filter(({ campaignId }) => !leftOut.includes(campaignId)),
    );
  };
  return await Promise.all([rootOf(one), rootOf(other)]);
}

/** The least number up to `highest` for which it is so, where it is so from there on. */
async function firstWhere(
  highest: number,
  isSo: (number: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [0, highest];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

async function differingCampaigns(
  one: Side,
  other: Side,
  block: number,
): Promise<DifferingCampaign[]> {
  const [left, right] = await Promise.all([one.digests(block), other.digests(block)]);
  const rights = new Map(right.campaigns.map((found) => [found.campaignId, found]));
  const lefts = new Set(left.campaigns.map(({ campaignId }) => campaignId));
  const pairs: DifferingCampaign[] = [
    ...left.campaigns.map((found) => ({
      campaignId: found.campaignId,
      sides: [found, rights.get(found.campaignId) ?? null] as const,
    })),
    ...right.campaigns
      .filter(({ campaignId }) => !lefts.has(campaignId))
      .map((found) => ({ campaignId: found.campaignId, sides: [null, found] as const })),
  ];
  return pairs.filter(({ sides: [a, b] }) => a?.digest !== b?.digest);
}

/** Below that block the campaign's digests are equal; from there on, event by event. */
async function firstEvent(
  one: Side,
  other: Side,
  { campaignId }: DifferingCampaign,
  block: number,
): Promise<Difference['event']> {
  const below = block === 0 ? undefined : await one.campaign(campaignId, block - 1);
  for (let sequence = below?.sequence ?? 0; ; sequence += 1) {
    const [left, right] = await Promise.all(
      [one, other].map((side) => eventOrNone(side, campaignId, sequence)),
    );
    if (left == null && right == null) return null;
    if (left?.digest !== right?.digest) {
      return { sequence: sequence + 1, sides: [left ?? null, right ?? null] };
    }
  }
}

/** A side that does not have the campaign has none of its events. */
async function eventOrNone(
  side: Side,
  campaignId: string,
  sequence: number,
): Promise<DigestEvent | null> {
  try {
    return (await side.eventAfter(campaignId, sequence)) ?? null;
  } catch (error) {
    if (error instanceof CommandError && /no campaign/.test(error.message)) return null;
    throw error;
  }
}
