import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBatchGate } from '../support/batch-gate.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

let chain: TestChain;
let traffic: Traffic;
let undisturbed: TestDeployment;
let deployment: TestDeployment;

beforeAll(async () => {
  chain = await startTestChain();
  traffic = await Traffic.start(chain, 77, 4);
  await traffic.play(60);
  await chain.client.mine({ blocks: 61 });
  await traffic.play(60);
  undisturbed = await TestDeployment.open(chain);
  deployment = await TestDeployment.open(chain);
  await Promise.all([undisturbed.startIndexer(), deployment.startIndexer()]);
  undisturbed.startWorker();
  await undisturbed.settledToHead();
});

afterAll(async () => {
  await deployment?.close();
  await undisturbed?.close();
  await chain?.stop();
});

async function expectUndisturbed(): Promise<void> {
  await deployment.settledToHead(120_000);
  await undisturbed.settledToHead();
  const [one, other] = [await dumpLedger(deployment.pool), await dumpLedger(undisturbed.pool)];
  expect(one.discrepancy).toEqual([]);
  expect(differences(one, other)).toEqual([]);
}

describe('after kill -9', () => {
  it('after kill -9 of workers in the middle of batches, the ledger is that of an undisturbed run', async () => {
    const gate = await closeBatchGate(deployment.database.url);
    await deployment.indexer.ready();
    for (let kills = 0; kills < 4; kills += 1) {
      const worker = deployment.startWorker();
      await gate.reached();
      expect(await worker.kill()).toEqual({ code: null, signal: 'SIGKILL' });
      await gate.clear();
      if (kills > 0) await traffic.play(12);
    }
    await gate.open();
    deployment.startWorker();
    deployment.startWorker();
    await expectUndisturbed();
  }, 180_000);

  it('after kill -9 of the indexer, no sale that was readable goes missing meanwhile', async () => {
    await traffic.play(20);
    await deployment.settledToHead();
    const before = await salesOf(deployment);
    const settledBefore = await settledNumber(deployment);
    expect(await deployment.indexer.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await deployment.startIndexer();
    let polls = 0;
    const done = new AbortController();
    const watching = (async () => {
      while (!done.signal.aborted) {
        const now = new Set(await salesOf(deployment));
        expect(before.filter((sale) => !now.has(sale))).toEqual([]);
        expect(await settledNumber(deployment)).toBeGreaterThanOrEqual(settledBefore);
        polls += 1;
        await setTimeout(20);
      }
    })();
    watching.catch(() => {});
    // It waits for its dead lock, takes unfinalized rows away, and brings them back.
    await waitFor(() => recovered(deployment), {
      what: 'the indexer to have recovered',
      timeout: 90_000,
    });
    await traffic.play(10);
    await deployment.settledToHead();
    done.abort();
    await watching;
    expect(polls).toBeGreaterThan(20);
    await expectUndisturbed();
  }, 180_000);
});

async function salesOf({ pool }: TestDeployment): Promise<string[]> {
  const rows = await pool<{ sale_id: string }[]>`select sale_id from ledger.sale`;
  return rows.map((row) => row.sale_id);
}

async function settledNumber({ pool }: TestDeployment): Promise<number> {
  const [row] = await pool<{ n: string }[]>`select settled_number as n from ledger.head`;
  return Number(row?.n);
}

async function recovered({ indexer }: TestDeployment): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${await indexer.port()}/ready`);
  return answer.ok;
}
