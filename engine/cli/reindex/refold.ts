import { setTimeout } from 'node:timers/promises';
import type { FactComparison } from '../../db/compare-facts.ts';
import { readHeads } from '../../db/heads.ts';
import { type CampaignReplay, replayCampaign } from '../../settlement/replay-campaign.ts';
import type { ReindexOptions } from './options.ts';

/** Facts folded at once: memory stays flat, however long a campaign's history is. */
const BATCH_SIZE = 2_000;

/** Milliseconds for which a campaign may have to wait for the indexer, which has just been restarted. */
const WAIT_MS = 60_000;

type RefoldOptions = Pick<ReindexOptions, 'pool' | 'keccak256' | 'onProgress'>;

/**
 * Folds again what settlement had folded from events that are not what was indexed anew: each such
 * campaign from its first difference, as `tributary replay` does.
 * @param stopped campaigns whose last folded event is not there: folded anew as a whole.
 */
export async function refoldCampaigns(
  options: RefoldOptions,
  schema: string,
  { folded }: FactComparison,
  stopped: readonly string[],
): Promise<CampaignReplay[]> {
  const fromBlocks = new Map<string, number>(stopped.map((campaignId) => [campaignId, 0]));
  for (const { campaignId, fromBlock } of folded) fromBlocks.set(campaignId, fromBlock);
  const results: CampaignReplay[] = [];
  for (const [campaignId, fromBlock] of fromBlocks) {
    options.onProgress(`folding campaign ${campaignId} again from block ${fromBlock}`);
    results.push(await refoldCampaign(options, schema, campaignId, fromBlock));
  }
  return results;
}

async function refoldCampaign(
  { pool, keccak256 }: RefoldOptions,
  schema: string,
  campaignId: string,
  fromBlock: number,
): Promise<CampaignReplay> {
  const deadline = performance.now() + WAIT_MS;
  const heads = await readHeads(pool);
  for (;;) {
    const result = await replayCampaign(
      {
        pool,
        keccak256,
        indexerSchema: schema,
        fromBlock,
        shadow: false,
        digestBlock: heads?.settled?.number ?? 0,
        batchSize: BATCH_SIZE,
        onEvents: () => {},
      },
      campaignId,
    );
    if (result.outcome !== 'waiting' || performance.now() > deadline) return result;
    await setTimeout(250);
  }
}
