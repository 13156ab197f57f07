import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { firstBlocks, inOrder, type LedgerSample, nextBlocks } from './series.ts';

/** Milliseconds for which a series is new enough: it is many requests. */
const FRESH_MS = 120_000;

/**
 * The ledgers of a campaign over time: read as of blocks of the past (`atBlock`), for nothing keeps
 * a public series.
 */
export function useSeries(
  campaignId: string,
  from: string,
  to: string | undefined,
): UseQueryResult<LedgerSample[], Error> {
  return useQuery({
    queryKey: ['campaign.series', campaignId, from],
    enabled: to !== undefined,
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => readSeries(campaignId, Number(from), Number(to), signal),
  });
}

async function readSeries(campaignId: string, from: number, to: number, signal: AbortSignal) {
  const samples: LedgerSample[] = [];
  let blocks = firstBlocks(Math.min(from, to), to);
  while (blocks.length > 0) {
    const read = blocks.map((block) => sampleOf(campaignId, block, signal));
    samples.push(...(await Promise.all(read)));
    blocks = nextBlocks(samples);
  }
  return inOrder(samples);
}

async function sampleOf(
  campaignId: string,
  block: number,
  signal: AbortSignal,
): Promise<LedgerSample> {
  const input = { campaignId, atBlock: String(block) };
  const { data, meta } = await api.campaigns.get(input, { signal });
  const { rewardLedger, proceedsLedger, counts } = data;
  return {
    block,
    at: Date.parse(meta.chain?.blockTimestamp ?? ''),
    rewardLedger,
    proceedsLedger,
    counts,
  };
}
