import { custom, HttpRequestError, RpcRequestError } from 'viem';
import { afterEach, expect, it, vi } from 'vitest';
import { CallWatch } from '../../engine/chain/call-watch.ts';
import { rpcClient } from '../../engine/chain/client.ts';
import { logHangingCalls } from '../../engine/cli/log-hanging-calls.ts';
import { askChain, newTick } from '../../engine/settlement/tick.ts';

const URL_WITH_KEY = 'https://user:password@rpc.example:8545/v2/s3cret';
const START = Date.parse('2026-11-25T10:04:05Z');

let answer: () => Promise<unknown>;
let now: number;

function fixture() {
  now = START;
  const watch = new CallWatch(() => now);
  const transport = custom({ request: () => answer() }, { retryCount: 0 });
  const { request } = watch.watched(transport, URL_WITH_KEY, 2)({});
  const ask = (method: string) => request({ method }).then(String, () => 'no answer');
  return { watch, ask };
}

const away = () =>
  Promise.reject(new HttpRequestError({ url: URL_WITH_KEY, details: 'fetch failed' }));
const refused = () =>
  Promise.reject(
    new RpcRequestError({ body: {}, url: URL_WITH_KEY, error: { code: 1, message: 'no' } }),
  );

afterEach(() => {
  vi.useRealTimers();
});

it('names a call that has had no answer for a minute, by method, host and time', async () => {
  const { watch, ask } = fixture();
  answer = away;
  for (let seconds = 0; seconds <= 61; seconds += 1, now += 1_000) {
    await ask('eth_getLogs');
    if (seconds === 59) expect(watch.hanging()).toEqual([]);
  }
  expect(watch.hanging()).toMatchObject([
    { method: 'eth_getLogs', host: 'rpc.example:8545', place: 2, since: new Date(START) },
  ]);
});

it('names a request that waits for a minute', async () => {
  const { watch, ask } = fixture();
  let end: (value: unknown) => void = () => {};
  answer = () =>
    new Promise((resolve) => {
      end = resolve;
    });
  const asked = ask('eth_call');
  now += 61_000;
  expect(watch.hanging()).toMatchObject([{ method: 'eth_call', since: new Date(START) }]);
  end('0x');
  await asked;
  expect(watch.hanging()).toEqual([]);
});

it.each([
  ['was answered', async () => '0x1'],
  ['was refused by the RPC', refused],
])('names no call that %s', async (_, after) => {
  const { watch, ask } = fixture();
  answer = away;
  await ask('eth_call');
  now += 61_000;
  answer = after;
  await ask('eth_call');
  expect(watch.hanging()).toEqual([]);
});

it('names no call that is not sent any more', async () => {
  const { watch, ask } = fixture();
  answer = away;
  await ask('eth_call');
  now += 61_000;
  await ask('eth_call');
  now += 61_000;
  expect(watch.hanging()).toEqual([]);
});

it('logs the calls each minute, without the key of the RPC', async () => {
  const { watch, ask } = fixture();
  answer = away;
  await ask('eth_getLogs');
  now += 61_000;
  await ask('eth_getLogs');
  vi.useFakeTimers();
  const lines: unknown[][] = [];
  const stop = logHangingCalls({ warn: (...line: unknown[]) => lines.push(line) }, watch);
  vi.advanceTimersByTime(60_000);
  await stop();
  vi.advanceTimersByTime(600_000);
  expect(lines).toEqual([
    [
      { method: 'eth_getLogs', host: 'rpc.example:8545', since: '2026-11-25T10:04:05.000Z' },
      'rpc.example:8545 has not answered eth_getLogs since 2026-11-25T10:04:05.000Z',
    ],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|password/);
});

it('says in the alarm which call hangs, by the place of its RPC', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  const client = rpcClient(['http://127.0.0.1:1'], { timeoutMs: 1_000, deadlineMs: 1_000 });
  const tick = newTick({ onChainError: () => {} } as never);
  await askChain(tick, () => client.getBlockNumber());
  expect(tick.feederErrors.get('rpc')?.message).toBe('The blockchain node does not respond.');
  vi.setSystemTime(START + 61_000);
  await askChain(tick, () => client.getBlockNumber());
  expect(tick.feederErrors.get('rpc')?.message).toBe(
    'The blockchain node does not respond. RPC 1 of RPC_URL has not answered eth_blockNumber since 2026-11-25T10:04:05.000Z.',
  );
});
