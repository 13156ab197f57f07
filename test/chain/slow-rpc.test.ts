import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { type Hex, keccak256, numberToHex, TimeoutError } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { isTimeout } from '../../engine/chain/errors.ts';
import { chainFromRpc } from '../../engine/chain/rpc-chain.ts';
import { readRanges } from '../../src/history/rpc.ts';
import { waitFor } from '../support/wait-for.ts';

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const SELECTOR = keccak256('0x01');

/** An RPC of a chain whose blocks have so many logs each, the first block being 1. */
interface SlowRpc {
  readonly logsOfBlocks: readonly number[];
  /** Silence before the response to `eth_getLogs`, for each log. */
  readonly msPerLog: number;
  /** Silence before each tenth of the response. */
  readonly msPerTenth: number;
  /** True if it works on one request at a time, and goes on with that after it was cancelled. */
  readonly isSerial: boolean;
}

let server: Server | undefined;
/** Blocks of each `eth_getLogs`. */
let asked: number[];
/** Requests whose connection was closed before the response was complete. */
let cancelled: number;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(rpc: SlowRpc): Promise<string> {
  server?.closeAllConnections();
  server?.close();
  [asked, cancelled] = [[], 0];
  let work = Promise.resolve();
  server = createServer(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cancelled += 1;
    });
    const body = await json(request).catch(() => undefined);
    const [call] = [body].flat() as Call[];
    if (call === undefined) return;
    const { fromBlock, toBlock } = Object(call.params[0]);
    if (fromBlock !== undefined) asked.push(Number(toBlock) - Number(fromBlock) + 1);
    const answer = () => (response.destroyed ? undefined : respond(rpc, call, response));
    work = rpc.isSerial ? work.then(answer) : work;
    if (!rpc.isSerial) await answer();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

async function respond(rpc: SlowRpc, call: Call, response: ServerResponse): Promise<void> {
  const [first] = call.params;
  if (call.method !== 'eth_getLogs') {
    const result = { number: first, hash: keccak256(first as Hex), timestamp: '0x1' };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
    return;
  }
  const { fromBlock, toBlock } = Object(first);
  const result = logsOf(rpc, Number(fromBlock), Number(toBlock));
  await setTimeout(rpc.msPerLog * result.length);
  const text = JSON.stringify({ jsonrpc: '2.0', id: call.id, result });
  const size = Math.ceil(text.length / 10);
  for (let sent = 0; sent < text.length; sent += size) {
    if (rpc.msPerTenth > 0) await setTimeout(rpc.msPerTenth);
    response.write(text.slice(sent, sent + size));
  }
  response.end();
}

function logsOf({ logsOfBlocks }: SlowRpc, from: number, to: number) {
  return logsOfBlocks.slice(from - 1, to).flatMap((count, i) =>
    Array.from({ length: count }, (_, logIndex) => ({
      address: CONTRACT,
      topics: [SELECTOR],
      data: '0x',
      blockNumber: numberToHex(from + i),
      blockHash: keccak256(numberToHex(from + i)),
      blockTimestamp: '0x1',
      transactionHash: keccak256(numberToHex(from + i, { size: 32 })),
      transactionIndex: '0x0',
      logIndex: numberToHex(logIndex),
    })),
  );
}

function chainAt(url: string, timeoutMs: number) {
  return chainFromRpc({
    chainId: 8_453,
    startBlock: 1,
    rpcUrls: [url],
    contractAddress: CONTRACT,
    eventSelectors: [SELECTOR],
    timeoutMs,
  });
}

/** The error of a request that fails. */
async function failureOf(request: Promise<unknown>): Promise<Error> {
  return await request.then(
    () => {
      throw new Error('The request did not fail.');
    },
    (error: Error) => error,
  );
}

/** Blocks of the request that an error names. */
function sizeIn(error: unknown): number {
  const [, from, to] = /of blocks (\d+) to (\d+)/.exec(String(error)) ?? [];
  return Number(to) - Number(from) + 1;
}

const slowRpcs = fc.record({
  logsOfBlocks: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }),
  msPerLog: fc.constantFrom(0, 1, 4, 10),
  msPerTenth: fc.constantFrom(0, 5),
  isSerial: fc.boolean(),
});

describe('the reading of logs from a slow RPC', () => {
  it('finds something in each attempt, or asks for less or waits longer in the next', async () => {
    await fc.assert(
      fc.asyncProperty(slowRpcs, async (rpc) => {
        const chain = chainAt(await serve(rpc), 100);
        const last = rpc.logsOfBlocks.length;
        const found: number[] = [];
        let failed: number | undefined;
        let failures = 0;
        for (let at = 1; at <= last; ) {
          try {
            const range = await chain.logsOf(at, last);
            expect(range.to).toBeGreaterThanOrEqual(at);
            found.push(...range.logs.map(({ blockNumber }) => blockNumber));
            at = range.to + 1;
            [failed, failures] = [undefined, 0];
          } catch (error) {
            if (!isTimeout(error)) throw error;
            failures += 1;
            const size = sizeIn(error);
            if (failed !== undefined) {
              expect(size).toBeLessThanOrEqual(Math.max(1, Math.ceil(failed / 2)));
            }
            failed = size;
            // Five halvings from 32 blocks to one, and the silence doubles from there.
            expect(failures).toBeLessThan(20);
          }
        }
        expect(found).toEqual(rpc.logsOfBlocks.flatMap((count, i) => Array(count).fill(i + 1)));
      }),
      { numRuns: 12 },
    );
  }, 120_000);

  it('loads all of the finalized history', async () => {
    await fc.assert(
      fc.asyncProperty(slowRpcs, async (rpc) => {
        const refused: number[] = [];
        const options = {
          ...{ rpcUrls: [await serve(rpc)], requestsPerSecond: 0, timeoutMs: 100 },
          contractAddress: CONTRACT,
          onRefused: ({ from, to }: { from: number; to: number }) => refused.push(to - from + 1),
        };
        const last = rpc.logsOfBlocks.length;
        const found: number[] = [];
        let failures = 0;
        for (let at = 1; at <= last; ) {
          refused.length = 0;
          try {
            for await (const { to, logs } of readRanges(options, at, last)) {
              found.push(...logs.map(({ blockNumber }) => Number(blockNumber)));
              at = Number(to.number) + 1;
              failures = 0;
            }
          } catch (error) {
            if (!isTimeout(error)) throw error;
            failures += 1;
            expect(refused.length).toBeLessThanOrEqual(1);
            expect(failures).toBeLessThan(20);
          }
        }
        expect(found).toEqual(rpc.logsOfBlocks.flatMap((count, i) => Array(count).fill(i + 1)));
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  it('waits longer than the limit of silence while bytes arrive', async () => {
    const rpc = { logsOfBlocks: [9, 9], msPerLog: 0, msPerTenth: 300, isSerial: false };
    const range = await chainAt(await serve(rpc), 1_500).logsOf(1, 2);
    expect(range.logs).toHaveLength(18);
    expect({ asked, cancelled }).toEqual({ asked: [2], cancelled: 0 });
  });

  it('cancels a request after silence, and names it in the error', async () => {
    const rpc = { logsOfBlocks: [1, 1, 1], msPerLog: 400, msPerTenth: 0, isSerial: false };
    const error = await failureOf(chainAt(await serve(rpc), 200).logsOf(1, 3));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toContain('eth_getLogs of blocks 1 to 3');
    expect(error.message).toContain('"waitedMs":200');
    await waitFor(() => cancelled === 1, { what: 'the connection to be closed' });
  });

  it('asks for few blocks at first, and for more while they have few logs and come fast', async () => {
    const logsOfBlocks = Array.from({ length: 3_000 }, () => 1);
    const rpc = { logsOfBlocks, msPerLog: 0, msPerTenth: 0, isSerial: false };
    const chain = chainAt(await serve(rpc), 60_000);
    let at = 1;
    while (at <= 3_000) at = (await chain.logsOf(at, 3_000)).to + 1;
    expect(asked).toEqual([32, 128, 512, 2_000, 328]);
  });

  it('asks for fewer blocks if they have many logs, and returns what it has found', async () => {
    const logsOfBlocks = Array.from({ length: 128 }, () => 400);
    const rpc = { logsOfBlocks, msPerLog: 0, msPerTenth: 0, isSerial: false };
    const chain = chainAt(await serve(rpc), 60_000);
    const first = await chain.logsOf(1, 128);
    expect({ to: first.to, logs: first.logs.length }).toEqual({ to: 32, logs: 12_800 });
    expect((await chain.logsOf(33, 128)).to).toBe(64);
    expect(asked).toEqual([32, 16, 16]);
  });
});
