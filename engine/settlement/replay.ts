import type { Keccak256 } from '../core/digest.ts';
import type { Hex } from '../core/events.ts';
import { digestRoot } from '../core/merkle.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads } from '../db/heads.ts';
import { indexerTablesExist } from '../db/indexer/head.ts';
import { digestsAt } from '../db/read/system/digests.ts';
import {
  isKnownCampaign,
  type ReplayTarget,
  replayTargets,
} from '../db/read/system/replay-anchor.ts';
import { type CampaignReplay, replayCampaign } from './replay-campaign.ts';

/** Options of a replay. */
export interface ReplayOptions {
  readonly pool: Pool;
  readonly keccak256: Keccak256;
  /** Events at or above this block are folded again. */
  readonly fromBlock: number;
  /** The only campaign to replay; default: all. */
  readonly campaignId?: string | undefined;
  /** True to compare only. */
  readonly shadow: boolean;
  /** Facts folded in one step. */
  readonly batchSize: number;
  readonly onProgress: (progress: ReplayProgress) => void;
}

/** Progress of a replay. */
export interface ReplayProgress {
  readonly campaignId: string;
  /** Number of finished campaigns, and of all. */
  readonly done: number;
  readonly of: number;
  /** Events of this campaign folded so far. */
  readonly events: number;
}

/** Result of a replay. */
export interface ReplayReport {
  /** The settled block when the replay began, as of which the roots are. */
  readonly blockNumber: number;
  readonly root: { readonly before: Hex; readonly after: Hex };
  readonly campaigns: readonly CampaignReplay[];
}

/** Thrown if there is nothing to replay, or not yet. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

/**
 * Folds every campaign again from a block on and compares the rows with the existing ones
 * (docs/how-it-works/reliability.md#replay). Each campaign is one transaction, so that workers and readers continue; only
 * campaigns that differ are written. New events of a campaign wait until its replay ends.
 * @throws {ReplayError} if nothing is settled or indexed yet, or there is no such campaign.
 */
export async function replay(options: ReplayOptions): Promise<ReplayReport> {
  const { pool, keccak256, fromBlock, campaignId } = options;
  const heads = await readHeads(pool);
  const blockNumber = heads?.settled?.number;
  if (heads === undefined || blockNumber === undefined) {
    throw new ReplayError('Nothing is settled yet: there is nothing to replay.');
  }
  const { indexerSchema } = heads;
  if (!(await indexerTablesExist(pool, indexerSchema))) {
    throw new ReplayError(`The indexer has not made its tables in ${indexerSchema} yet.`);
  }
  if (campaignId !== undefined && !(await isKnownCampaign(pool, campaignId))) {
    throw new ReplayError(`There is no campaign ${campaignId} in this ledger.`);
  }
  const before = new Map<string, Hex>();
  for (const one of await digestsAt(pool, blockNumber)) before.set(one.campaignId, one.digest);
  const targets = await replayTargets(pool, fromBlock, campaignId);
  const campaigns = await replayAll(options, targets, indexerSchema, blockNumber);
  const after = new Map(before);
  for (const { campaignId: id, digests } of campaigns) {
    // Both digests are as of the replay, so that events settled meanwhile make no difference.
    if (digests === null) continue;
    setOrDelete(before, id, digests.before);
    setOrDelete(after, id, digests.after);
  }
  return {
    blockNumber,
    root: { before: rootOf(keccak256, before), after: rootOf(keccak256, after) },
    campaigns,
  };
}

async function replayAll(
  options: ReplayOptions,
  targets: readonly ReplayTarget[],
  indexerSchema: string,
  digestBlock: number,
): Promise<CampaignReplay[]> {
  const results: CampaignReplay[] = [];
  for (const [done, { campaignId }] of targets.entries()) {
    const onEvents = (events: number) => {
      options.onProgress({ campaignId, done, of: targets.length, events });
    };
    onEvents(0);
    results.push(
      await replayCampaign({ ...options, indexerSchema, digestBlock, onEvents }, campaignId),
    );
  }
  return results;
}

function setOrDelete(map: Map<string, Hex>, key: string, value: Hex | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function rootOf(keccak256: Keccak256, digests: ReadonlyMap<string, Hex>): Hex {
  return digestRoot(
    keccak256,
    [...digests].map(([campaignId, digest]) => ({ campaignId, digest })),
  );
}
