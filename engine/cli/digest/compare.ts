import { keccak256 } from 'viem';
import type { Keccak256 } from '../../core/digest.ts';
import { compareIds, digestRoot } from '../../core/merkle.ts';
import { CommandError } from '../exit-codes.ts';
import type { DigestEvent, ServedDigest, Side } from './side.ts';

const keccak: Keccak256 = (bytes) => keccak256(bytes, 'bytes');

/** Result of comparing the digests of two deployments. */
export interface DigestComparison {
  /** Newest block that both have settled; later blocks were not compared. */
  readonly block: number;
  readonly roots: readonly [string, string];
  /** Campaigns that one side has stopped: neither root contains them, and they were not compared. */
  readonly leftOut: readonly string[];
  /** `null` if the deployments are equal. */
  readonly difference: DigestDifference | null;
}

/** First difference between two deployments. */
export interface DigestDifference {
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

/** A campaign whose digests differ; `null` if a side does not have it. */
export interface DifferingCampaign {
  readonly campaignId: string;
  readonly sides: readonly [ServedDigest | null, ServedDigest | null];
}

/**
 * Finds the first block and campaign at which two deployments differ. Each digest includes the previous
 * one, so two digests that differ stay different, and a binary search finds the block.
 * @throws {CommandError} if they serve different contracts, or a side does not respond.
 */
export async function compareSides(one: Side, other: Side): Promise<DigestComparison> {
  const [a, b] = await Promise.all([one.deployment(), other.deployment()]);
  if (a.name !== b.name) {
    throw new CommandError(
      `These are different deployments: ${one.url} serves ${a.name}, ${other.url} ${b.name}.`,
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

/** Both roots, computed here over the other campaigns if some are left out. */
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

/** Smallest number up to `highest` from which on a condition holds. */
async function firstWhere(
  highest: number,
  holds: (number: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [0, highest];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) high = middle;
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

/** Finds the first event that differs, starting from the equal digests of the previous block. */
async function firstEvent(
  one: Side,
  other: Side,
  { campaignId }: DifferingCampaign,
  block: number,
): Promise<DigestDifference['event']> {
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

/** The next event of a campaign; `null` if there is none, or the side does not have the campaign. */
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
