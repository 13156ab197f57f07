import { setTimeout } from 'node:timers/promises';
import { readHeads } from '../../db/heads.ts';
import type { FactComparison } from '../../db/indexer/compare-facts.ts';
import { MAX_BATCH_FACTS } from '../../settlement/defaults.ts';
import { type CampaignReplay, replayCampaign } from '../../settlement/replay-campaign.ts';
import type { ReindexOptions } from './options.ts';

/** Maximum milliseconds that a campaign waits for the restarted indexer. */
const WAIT_MS = 60_000;

type RefoldOptions = Pick<ReindexOptions, 'pool' | 'keccak256' | 'onProgress'>;

/**
 * Folds campaigns again whose folded events differ from the new index: each from its first
 * difference, as `tributary replay` does.
 * @param stopped campaigns whose last folded event is missing: these are folded from the start.
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
        batchSize: MAX_BATCH_FACTS,
        onEvents: () => {},
      },
      campaignId,
    );
    if (result.outcome !== 'waiting' || performance.now() > deadline) return result;
    await setTimeout(250);
  }
}
