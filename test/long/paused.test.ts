import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type Child, cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { createClient } from '../../engine/client/index.ts';
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
let leader: Child;
const apis: { readonly child: Child; readonly client: ReturnType<typeof createClient> }[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  traffic = await Traffic.start(chain, 78, 4);
  await traffic.play(20);
  undisturbed = await TestDeployment.open(chain);
  deployment = await TestDeployment.open(chain);
  await Promise.all([undisturbed.startIndexer(), deployment.startIndexer()]);
  undisturbed.startWorker();
  // Alone, so that it leads.
  leader = deployment.startWorker();
  await deployment.settledToHead();
  apis.push(await startApi(), await startApi());
});

afterAll(async () => {
  await Promise.all(apis.map(({ child }) => child.stop()));
  await deployment?.close();
  await undisturbed?.close();
  await chain?.stop();
});

async function startApi(): Promise<(typeof apis)[number]> {
  const port = await freePort();
  const child = spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env: {
      ...deployment.variables(),
      PORT: String(port),
      STALL_SECONDS: '2',
    },
    logFile: join(chain.dir, `api-${apis.length}.log`),
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${baseUrl}/ready`)).ok;
  await waitFor(isReady, { what: 'the API to be ready', timeout: 60_000 });
  return { child, client: createClient({ baseUrl }) };
}

/** Stops a process and its children in the middle of what they do, or lets them go on. */
function signal(child: Child, name: 'SIGSTOP' | 'SIGCONT'): void {
  process.kill(-child.pid, name);
}

async function tokenOf(): Promise<number> {
  const [row] = await deployment.pool<{ token: number }[]>`
    select token::int as token from ledger.leader`;
  return row?.token ?? 0;
}

/** Waits for another leader. @returns milliseconds. */
async function nextLeader(token: number): Promise<number> {
  const started = performance.now();
  const what = 'another leader';
  await waitFor(async () => (await tokenOf()) > token, { what, timeout: 30_000 });
  return Math.round(performance.now() - started);
}

/** The ledger is that of an undisturbed worker, nothing waits in the queue, and no process has ended. */
async function expectUndisturbed(): Promise<void> {
  await deployment.settledToHead(90_000);
  await undisturbed.settledToHead();
  const [one, other] = [await dumpLedger(deployment.pool), await dumpLedger(undisturbed.pool)];
  expect(one.discrepancy).toEqual([]);
  expect(differences(one, other)).toEqual([]);
  const { client } = apis[1] ?? expect.fail('there are two APIs');
  await waitFor(
    async () => {
      const { queue } = (await client.system.status()).data;
      return queue !== null && queue.waiting + queue.active + queue.delayed === 0;
    },
    { what: 'the queue to be empty', timeout: 60_000 },
  );
  const ended = [...deployment.workers, ...apis.map(({ child }) => child)].map(({ exited }) =>
    Promise.race([exited, setTimeout(0, 'running')]),
  );
  expect(new Set(await Promise.all(ended))).toEqual(new Set(['running']));
}

describe('processes that are cut off or paused', () => {
  it('a leader whose connection is cut goes on, and leads again', async () => {
    const token = await tokenOf();
    await deployment.pool`select pg_terminate_backend(pid) from ledger.leader`;
    await nextLeader(token);
    await traffic.play(4);
    await expectUndisturbed();
  }, 60_000);

  it('a leader that is paused in a batch is replaced, and its batch is settled once; so is a paused API', async () => {
    deployment.startWorker();
    deployment.startWorker();
    const [paused, other] = apis;
    if (paused === undefined || other === undefined) throw new Error('there are two APIs');
    const sequences: number[] = [];
    let isOpen = false;
    const reading = new AbortController();
    const reader = (async () => {
      for await (const { event, data } of paused.client.stream({ signal: reading.signal })) {
        isOpen ||= event === 'hello';
        if (event === 'settled') sequences.push(Number(data.sequence));
      }
    })();
    reader.catch(() => {});
    // A stream that is not open yet begins at the newest change when it is.
    await waitFor(() => isOpen, { what: 'the stream to open' });
    const gate = await closeBatchGate(deployment.database.url);
    const token = await tokenOf();
    await Promise.all([traffic.play(6), gate.reached()]);
    signal(leader, 'SIGSTOP');
    signal(paused.child, 'SIGSTOP');
    const pausedAt = performance.now();
    const leaderMs = await nextLeader(token);
    await gate.open();
    await traffic.play(6);
    await deployment.settledToHead(60_000);
    const settledMs = Math.round(performance.now() - pausedAt);
    console.log(`another leader after ${leaderMs} ms, all settled after ${settledMs} ms`);

    signal(leader, 'SIGCONT');
    signal(paused.child, 'SIGCONT');
    const answers = await Promise.all(
      [paused, other].map(async ({ client }) => (await client.receipts.recent({ limit: 50 })).data),
    );
    expect(answers[0]).toEqual(answers[1]);
    await traffic.play(6);
    await expectUndisturbed();
    expect(await tokenOf()).toBe(token + 1);
    const [newest] = await deployment.pool<{ sequence: number }[]>`
      select max(sequence)::int as sequence from ledger.change where kind = 'settled'`;
    const isRead = () => sequences.at(-1) === newest?.sequence;
    await waitFor(isRead, { what: 'the stream of the paused API', timeout: 30_000 });
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    reading.abort();
    await reader.catch(() => {});
  }, 180_000);

  it('settlement waits for a paused indexer, and reports it', async () => {
    const { client } = apis[1] ?? expect.fail('there are two APIs');
    const before = (await client.system.status()).data.settled;
    signal(deployment.indexer, 'SIGSTOP');
    await traffic.play(4);
    await waitFor(
      async () =>
        (await client.system.status()).data.alarms.some((sentence) =>
          sentence.startsWith('The indexer has been at block'),
        ),
      { what: 'the alarm', timeout: 30_000 },
    );
    expect((await client.system.status()).data.settled?.number).toBe(before?.number);
    signal(deployment.indexer, 'SIGCONT');
    await expectUndisturbed();
    // The worker itself may be late for a moment, which is another alarm.
    await waitFor(async () => (await client.system.status()).data.alarms.length === 0, {
      what: 'the end of all alarms',
    });
  }, 120_000);
});
