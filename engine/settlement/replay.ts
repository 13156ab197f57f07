import type { Keccak256 } from '../core/digest.ts';
import type { Hex } from '../core/events.ts';
import { digestRoot } from '../core/merkle.ts';
import type { Pool } from '../db/connection.ts';
import { readHeads } from '../db/heads.ts';
import { indexerTablesExist } from '../db/indexer-head.ts';
import { digestsAt } from '../db/read/digests.ts';
import { isKnownCampaign, type ReplayTarget, replayTargets } from '../db/read/replay-anchor.ts';
import { type CampaignReplay, replayCampaign } from './replay-campaign.ts';

export interface ReplayOptions {
  readonly pool: Pool;
  readonly keccak256: Keccak256;
  /** Events at or above it are folded anew. */
  readonly fromBlock: number;
  /** Only this campaign. */
  readonly campaignId?: string | undefined;
  /** Compares, and changes nothing. */
  readonly shadow: boolean;
  /** Facts folded at once, at most. */
  readonly batchSize: number;
  readonly onProgress: (progress: ReplayProgress) => void;
}

export interface ReplayProgress {
  readonly campaignId: string;
  /** Campaigns that are done, of how many. */
  readonly done: number;
  readonly of: number;
  /** Events of this campaign folded anew so far. */
  readonly events: number;
}

export interface ReplayReport {
  /** The settled block when it began, as of which the roots are. */
  readonly blockNumber: number;
  readonly root: { readonly before: Hex; readonly after: Hex };
  readonly campaigns: readonly CampaignReplay[];
}

/** There is nothing to replay, or not yet. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

/**
 * Folds every campaign again from a block on and holds the rows against those that are there (design
 * §5, Replay), a campaign at a time: each is one transaction, so workers and readers go on, and only
 * campaigns that differ are written. What new events of a campaign come meanwhile wait for it.
 * @throws {ReplayError} where nothing is settled or indexed yet, or there is no such campaign.
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
    // What settlement folded meanwhile is neither's difference: both are as the replay saw them.
    if (digests === null) continue;
    putOrDelete(before, id, digests.before);
    putOrDelete(after, id, digests.after);
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

function putOrDelete(map: Map<string, Hex>, key: string, value: Hex | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function rootOf(keccak256: Keccak256, digests: ReadonlyMap<string, Hex>): Hex {
  return digestRoot(
    keccak256,
    [...digests].map(([campaignId, digest]) => ({ campaignId, digest })),
  );
}
