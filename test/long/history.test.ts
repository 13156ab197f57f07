import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Indexer, IndexerOptions } from '../../engine/cli/stack/indexer.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { buy, createCampaign, fund, giveTokens, join, refund } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { type CountingRpc, startCountingRpc } from '../support/counting-rpc.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { waitFor } from '../support/wait-for.ts';

/** More blocks than Ponder leaves to be replaced, on a chain that it does not know. */
const REPLACEABLE = 40;

/** More blocks than the first range has, so that there are several. */
const EMPTY_BLOCKS = 700;

/** Milliseconds for a start of Ponder and all blocks, on a busy machine. */
const WAIT_MS = 120_000;

describe('the finalized history', { timeout: 2 * WAIT_MS }, () => {
  let chain: TestChain;
  let proxy: CountingRpc;
  let followed: Awaited<ReturnType<typeof open>>;

  // Ponder follows the chain while it is made: it writes every row by its handler.
  beforeAll(async () => {
    chain = await startTestChain();
    proxy = await startCountingRpc(chain.anvil.url);
    followed = await open('followed');
    await followed.indexer.ready();
    await makeHistory();
    await waitFor(hasAll(followed), { what: 'Ponder to follow the chain', timeout: WAIT_MS });
  }, 2 * WAIT_MS);
  afterAll(async () => {
    await followed?.close();
    await proxy?.stop();
    await chain?.stop();
  });
  beforeEach(() => proxy.reset());

  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  async function open(name: string, database?: TestDatabase) {
    const given = database ?? (await createTestDatabase());
    const logFile = joinPath(chain.dir, `${name}.log`);
    const changes: Partial<IndexerOptions> = { rpcUrls: [proxy.url], logFile };
    const indexer = await startTestIndexer(chain, given.url, changes);
    const sql = openPool(given.url);
    const close = async () => {
      await indexer.stop();
      await sql.end();
      if (database === undefined) await given.drop();
    };
    return { indexer, sql, database: given, logFile, close };
  }

  async function load(name: string, database?: TestDatabase) {
    const loading = await open(name, database);
    opened.push(loading);
    return loading;
  }

  async function makeHistory(): Promise<void> {
    const token = await deployToken(chain);
    const [merchant, buyer, seller] = [1, 2, 3].map((i) => accountAt(chain.accounts, i));
    if (!merchant || !buyer || !seller) throw new Error('The chain has 10 accounts.');
    const id = await createCampaign(chain, merchant, token);
    await fund(chain, { id, token }, merchant, 10n ** 18n);
    await giveTokens(chain, token, buyer, 10n ** 18n);
    const nodeId = await join(chain, id, seller);
    const { saleId } = await buy(chain, id, buyer, { nodeId });
    await refund(chain, merchant, saleId, 400_000n);
    await chain.client.mine({ blocks: EMPTY_BLOCKS });
    for (let i = 0; i < 5; i += 1) await buy(chain, id, buyer, { nodeId });
    await chain.client.mine({ blocks: REPLACEABLE });
    await buy(chain, id, buyer, { nodeId });
  }

  const hasAll =
    ({ sql, indexer }: { sql: Pool; indexer: Indexer }) =>
    async () =>
      (await indexedFacts(sql, indexer.schema)).length >= (await factsOfChain(chain)).length;

  /** Waits until everything is indexed, and expects the rows that Ponder's handler has written. */
  async function expectSameRows(loaded: { sql: Pool; indexer: Indexer }): Promise<void> {
    await loaded.indexer.ready();
    await waitFor(hasAll(loaded), { what: 'the rest to be indexed', timeout: WAIT_MS });
    const rows = await indexedFacts(loaded.sql, loaded.indexer.schema);
    expect(rows).toEqual(await indexedFacts(followed.sql, followed.indexer.schema));
    expect(rows).toEqual(await factsOfChain(chain));
  }

  it('becomes the rows that Ponder writes, with few requests, and Ponder continues after it', async () => {
    const loaded = await load('loaded');
    await expectSameRows(loaded);
    expect(await readFile(loaded.logFile, 'utf8')).toContain('Loaded finalized history');
    const { byMethod } = proxy.counts();
    // Of the blocks that are not final, Ponder requests each, and the logs of some.
    expect(byMethod.get('eth_getLogs')).toBeLessThan(REPLACEABLE + 10);
    const token =
      await loaded.sql`select 1 from ${loaded.sql(loaded.indexer.schema)}.loaded_history`;
    expect(token).toHaveLength(1);
  });

  it('keeps its rows if the RPC limits ranges and returns logs without a time', async () => {
    proxy.reset({ withoutTimestamps: true, maxLogBlocks: 100 });
    await expectSameRows(await load('limited'));
  });

  it('loads the rest after the indexer was killed while it was loading', async () => {
    proxy.reset({ maxLogBlocks: 100, delayMs: 50 });
    const killed = await load('killed');
    await waitFor(
      async () => (await readFile(killed.logFile, 'utf8')).includes('Loaded finalized'),
      {
        what: 'the first range',
        timeout: WAIT_MS,
      },
    );
    await killed.indexer.kill();
    const [row] = await killed.sql<{ block_number: string }[]>`
      select block_number from ${killed.sql(killed.indexer.schema)}.loaded_history`;
    expect(Number(row?.block_number)).toBeLessThan(EMPTY_BLOCKS);
    // Ponder's lock of a killed indexer expires.
    await killed.sql`
      update ${killed.sql(killed.indexer.schema)}._ponder_meta
      set value = jsonb_set(value, '{is_locked}', '0') where key = 'app'`;
    proxy.reset();
    await expectSameRows(await load('continued', killed.database));
    const log = await readFile(joinPath(chain.dir, 'continued.log'), 'utf8');
    expect(log).toContain('Detected crash recovery');
  });
});
