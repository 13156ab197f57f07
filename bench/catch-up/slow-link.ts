import { startSlowLink } from '../../test/support/slow-link.ts';
import { interleaved, rates, type Sample } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { inDatabase } from '../support/indexed.ts';
import { startSalesChain } from '../support/sales-chain.ts';
import { fill, GENESIS_TIMESTAMP, ingestAndSettle, type Shape } from './runs.ts';

/** A link of an ordinary server to an RPC of a provider. */
const LINK = { latencyMs: 50, bytesPerSecond: 20_000_000 };

const SHAPE: Shape = { blocks: 2_000, salesPerBlock: 50 };
const QUICK: Shape = { blocks: 100, salesPerBlock: 20 };

/** One history with the RPC next to the deployment, and behind a slow link. */
export const slowLinkSuite: Suite = {
  name: 'slow-link',
  about: 'a history settled from an RPC behind 50 ms and 20 MB/s, against one without a link',
  run: async (bench) => {
    const shape = bench.quick ? QUICK : SHAPE;
    const sales = await startSalesChain({ genesisTimestamp: GENESIS_TIMESTAMP });
    try {
      bench.log(`making ${shape.blocks} blocks of ${shape.salesPerBlock} sales`);
      await fill(sales, shape);
      const { chain } = sales;
      const samples = await interleaved(bench.rounds, {
        near: () => inDatabase(bench, 'link', (url) => ingestAndSettle(bench, chain, url)),
        far: () => inDatabase(bench, 'link', (url) => throughLink(bench, chain, url)),
      });
      if (samples.near[0]?.checksum !== samples.far[0]?.checksum) {
        throw new Error('the ledger behind a slow link has other digests');
      }
      return [resultOf(shape, samples)];
    } finally {
      await sales.stop();
    }
  },
};

async function throughLink(
  bench: Bench,
  chain: Parameters<typeof ingestAndSettle>[1],
  url: string,
): Promise<Sample> {
  const link = await startSlowLink(chain.anvil.url, LINK);
  try {
    const sample = await ingestAndSettle(bench, chain, url, link.url);
    const { calls, httpRequests, bytes, cancelled, lateBytes } = link.counts();
    bench.log(
      `${calls} calls in ${httpRequests} HTTP requests, ${megabytes(bytes)} MB; ${cancelled} cancelled, ${megabytes(lateBytes)} MB for nothing`,
    );
    return sample;
  } finally {
    await link.stop();
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function resultOf(
  { blocks, salesPerBlock }: Shape,
  { near, far }: Readonly<Record<'near' | 'far', readonly Sample[]>>,
): Result {
  const events = blocks * salesPerBlock;
  const [ours, figure] = [rates(far, events), rates(near, events)];
  const ratio = ratioOf('events/s', ours, figure);
  return {
    workload: `settled behind 50 ms and 20 MB/s: ${blocks} blocks of ${salesPerBlock}`,
    unit: 'events/s',
    ours,
    ceiling: { name: 'without the link', figure },
    ratio,
    aim: { text: '≥ 0.7', met: ratio >= 0.7 },
    checksum: far[0]?.checksum ?? null,
  };
}
