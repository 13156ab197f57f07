import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { type Heads, readHeads } from '../../engine/db/heads.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { honest, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

let chain: TestChain;
let rpc: TraitRpc;
let deployment: TestDeployment;

beforeAll(async () => {
  chain = await startTestChain();
  const traffic = await Traffic.start(chain, 13, 2);
  await traffic.play(15);
  // Past the indexer's finality, so that its backfill asks for ranges and keeps what it was reported.
  await chain.client.mine({ blocks: 40 });
  await traffic.play(5);
  rpc = await startTraitRpc(chain.anvil.url);
  deployment = await TestDeployment.open(chain);
});

afterAll(async () => {
  await deployment?.close();
  await rpc?.stop();
  await chain?.stop();
});

describe('an RPC that answers an empty list once', () => {
  it('settlement detects an empty list that the indexer believed, and recovers when it is indexed again', async () => {
    let lies = 0;
    rpc.lie = (result, { method }) => {
      if (method !== 'eth_getLogs' || !Array.isArray(result)) return result;
      if (lies > 0 || result.length === 0) return result;
      lies += 1;
      return [];
    };
    await deployment.startIndexer({ rpcUrls: [rpc.url] });
    await deployment.indexer.ready();
    expect(lies).toBe(1);
    rpc.lie = honest;
    deployment.startWorker();
    const error = await waitFor(mismatch, { what: 'the mismatch', timeout: 30_000 });
    // The tick that finds a error writes it next to the heads, not after them.
    const heads = await waitFor(headsPast(error.block), { what: 'the indexed block past it' });
    expect(heads.settled?.number ?? 0).toBeLessThan(error.block);
    expect(await deployment.pool`select 1 from ledger.journal`).toHaveLength(0);

    // As docs/operate/alarms.md says, "Indexing again": rows and cache go, and the indexer starts.
    const { schema } = deployment.indexer;
    await deployment.indexer.stop();
    const { pool } = deployment;
    await pool`drop schema ${pool(schema)} cascade`;
    await pool`drop schema ponder_sync cascade`;
    await pool`delete from ledger.checked_head where indexer_schema = ${schema}`;
    await deployment.startIndexer({ rpcUrls: [rpc.url] });
    await deployment.settledToHead();
    expect(await pool`select 1 from ledger.feeder_error`).toHaveLength(0);
    const report = await audit(pool, contractReader(chainEnv(chain)));
    expect(report).toMatchObject({ violations: [], discrepancies: 0, campaigns: 2 });
  }, 90_000);
});

function headsPast(block: number): () => Promise<Heads | undefined> {
  return async () => {
    const heads = await readHeads(deployment.pool);
    return (heads?.indexedNumber ?? 0) > block ? heads : undefined;
  };
}

async function mismatch(): Promise<{ block: number } | undefined> {
  const [row] = await deployment.pool<{ block: number }[]>`
    select block_number::int as block from ledger.feeder_error where name = 'mismatch'`;
  return row;
}
