/**
 * How long after a sale is mined its buckets can be read, with the indexer polling every 100 ms:
 * `npm run bench:freshness`. The ceiling in the same run is the indexer's own row.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createDatabase } from '../engine/cli/stack/database.ts';
import { startPostgres } from '../engine/cli/stack/postgres.ts';
import {
  buy,
  createCampaign,
  fund,
  giveTokens,
  join as joinNode,
} from '../test/support/actions.ts';
import { accountAt, deployToken, startTestChain } from '../test/support/chain.ts';
import { TestDeployment } from '../test/support/deployment.ts';

const SALES = 200;

const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'));
const postgres = await startPostgres({ dataDir });
const chain = await startTestChain();
const url = await createDatabase(postgres.url, 'freshness');
const deployment = await TestDeployment.open(chain, { database: { url, drop: async () => {} } });
try {
  const token = await deployToken(chain);
  const [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
  const campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 10n ** 12n);
  await giveTokens(chain, token, buyer, 10n ** 12n);
  let nodeId = 0n;
  for (let depth = 0; depth < 5; depth += 1) {
    nodeId = await joinNode(chain, campaignId, accountAt(chain.accounts, 3 + depth), nodeId);
  }
  await deployment.startIndexer();
  deployment.startWorker();
  await deployment.settledToHead();

  const indexed: number[] = [];
  const readable: number[] = [];
  for (let i = 0; i < SALES; i += 1) {
    const { saleId } = await buy(chain, campaignId, buyer, { nodeId });
    const mined = performance.now();
    await Promise.all([
      until(isIndexed, saleId).then(() => indexed.push(performance.now() - mined)),
      until(isReadable, saleId).then(() => readable.push(performance.now() - mined)),
    ]);
    // So that sales do not fall into step with the indexer's polling.
    await setTimeout((i * 37) % 101);
  }
  console.log(`${SALES} sales of 5 levels, one at a time, indexer polling every 100 ms\n`);
  console.table({
    'mined → indexed (ceiling)': row(indexed),
    'mined → readable in buckets': row(readable),
  });
} finally {
  await deployment.close();
  await chain.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function until(look: (saleId: bigint) => Promise<boolean>, saleId: bigint): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await look(saleId))) {
    if (performance.now() > deadline) throw new Error(`sale ${saleId} did not come in 30 s`);
    await setTimeout(2);
  }
}

async function isIndexed(saleId: bigint): Promise<boolean> {
  const { pool, indexer } = deployment;
  const rows = await pool`
    select 1 from ${pool(indexer.schema)}.chain_event
    where campaign_id = 1 and name = 'SaleRecorded' and args ->> 'saleId' = ${String(saleId)}`;
  return rows.length > 0;
}

async function isReadable(saleId: bigint): Promise<boolean> {
  // Reads are as of the settled block: the sale counts once that block has reached it.
  const rows = await deployment.pool`
    select 1 from ledger.sale_level l
    join ledger.sale s using (campaign_id, sale_id)
    join ledger.bucket b on b.campaign_id = l.campaign_id and b.account = l.recipient
    cross join ledger.head h
    where l.campaign_id = 1 and l.sale_id = ${String(saleId)}
      and h.settled_number >= s.block_number`;
  return rows.length > 0;
}

function row(times: readonly number[]): Record<string, number> {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(1) };
}
