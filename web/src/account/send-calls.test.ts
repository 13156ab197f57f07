import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallsRequest, mayBeSent, NotTakenError, takesCalls } from './send-calls.ts';
import type { Wallet } from './wallet.ts';

const FROM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TOKEN = `0x${'11'.repeat(20)}`;
const CONTRACT = `0x${'Aa'.repeat(20)}`;
const HASH = `0x${'ab'.repeat(32)}`;
const calls = [
  { chainId: 31_337, to: TOKEN, data: '0x01', value: '0' },
  { chainId: 31_337, to: CONTRACT, data: '0x02', value: '0' },
];
const receipt = {
  ...{ status: '0x1', transactionHash: HASH, blockNumber: '0x10' },
  logs: [{ address: CONTRACT.toLowerCase(), data: '0x', topics: [] }],
};
const executed = { version: '2.0.0', chainId: '0x7a69', status: 200, receipts: [receipt] };

const failure = (code?: number) => Object.assign(new Error('no'), { code });

type Answer = (params: readonly unknown[]) => unknown;

/** A wallet with these methods besides the one that names its chain; a returned error is thrown. */
function walletOf(methods: Readonly<Record<string, Answer>>) {
  const requested: string[] = [];
  const wallet: Wallet = {
    async request({ method, params = [] }) {
      if (method === 'eth_chainId') return '0x7a69';
      requested.push(method);
      const answer = (methods[method] ?? (() => failure(4200)))(params);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { wallet, requested };
}

const idOf: Answer = ([request]) => ({ id: Reflect.get(Object(request), 'id') });

/** What a page does with calls: it lets the wallet take them, and waits. */
async function run(wallet: Wallet) {
  const request = new CallsRequest(wallet, FROM, calls);
  await request.send();
  return await request.executed(1);
}

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
});
afterEach(() => {
  const { wallet } = walletOf({});
  new CallsRequest(wallet, FROM, calls).forget();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('takesCalls', () => {
  it.each([
    [{ '0x7a69': { atomic: { status: 'supported' } } }, true],
    [{ '0x7A69': { atomic: { status: 'ready' } } }, true],
    [{ '0x0': { atomic: { status: 'supported' } } }, true],
    [{ '0x7a69': { atomic: { status: 'unsupported' } } }, false],
    [{ '0x1': { atomic: { status: 'supported' } } }, false],
    [{ '0x7a69': null }, false],
    ['yes', false],
    [failure(4200), false],
  ])('reads %j as %s', async (answer, takes) => {
    const { wallet } = walletOf({ wallet_getCapabilities: () => answer });
    expect(await takesCalls(wallet, FROM, 31_337)).toBe(takes);
  });

  it('takes no answer for a no after five seconds', async () => {
    vi.useFakeTimers();
    const { wallet } = walletOf({ wallet_getCapabilities: () => new Promise(() => {}) });
    const takes = takesCalls(wallet, FROM, 31_337);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await takes).toBe(false);
  });
});

describe('calls that a wallet executes as one', () => {
  it('sends them once, and waits until they are executed', async () => {
    const states = [{ ...executed, status: 100, receipts: undefined }, executed];
    const sent: unknown[] = [];
    const { wallet } = walletOf({
      wallet_sendCalls: (params) => {
        sent.push(...params);
        return idOf(params);
      },
      wallet_getCallsStatus: ([id]) => ({ id, ...states.shift() }),
    });
    expect(await run(wallet)).toEqual({ hash: HASH, blockNumber: 16n });
    expect(sent).toEqual([
      {
        ...{ version: '2.0.0', from: FROM, chainId: '0x7a69', atomicRequired: true },
        id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        calls: [
          { to: TOKEN, data: '0x01', value: '0x0' },
          { to: CONTRACT, data: '0x02', value: '0x0' },
        ],
      },
    ]);
  });

  it.each([4200, -32_601, -32_602, 5700, 5710, 5740, 5750, 5760])(
    'says that none was sent if the wallet refuses with %i',
    async (code) => {
      const { wallet } = walletOf({ wallet_sendCalls: () => failure(code) });
      await expect(run(wallet)).rejects.toThrow(NotTakenError);
      expect(mayBeSent(FROM, calls)).toBe(false);
    },
  );

  it('sends them again after the owner rejected them', async () => {
    const { wallet, requested } = walletOf({ wallet_sendCalls: () => failure(4001) });
    await expect(run(wallet)).rejects.toThrow('You rejected the request');
    await expect(run(wallet)).rejects.toThrow('You rejected the request');
    expect(requested).toEqual(['wallet_sendCalls', 'wallet_sendCalls']);
  });

  it.each([
    ['takes them and then fails', failure(-32_603)],
    ['takes them and loses the connection', failure()],
    ['has their id already', failure(5720)],
    ['answers nonsense', 7],
  ])('refuses to send them twice if the wallet %s', async (_what, answer) => {
    const { wallet, requested } = walletOf({
      wallet_sendCalls: () => answer,
      wallet_getCallsStatus: () => executed,
    });
    await run(wallet).catch(() => undefined);
    // Another try, and a page that was opened again.
    expect(await run(wallet)).toMatchObject({ hash: HASH });
    expect(requested.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
  });

  it('asks for them by the id that the wallet gave them', async () => {
    const asked: unknown[] = [];
    const { wallet } = walletOf({
      wallet_sendCalls: () => ({ id: 'a name of its own' }),
      wallet_getCallsStatus: (params) => {
        asked.push(...params);
        return executed;
      },
    });
    await run(wallet);
    expect(asked).toEqual(['a name of its own']);
  });

  it('waits again after the wallet failed to say what became of them', async () => {
    const states = [failure(4900), executed];
    const { wallet, requested } = walletOf({
      wallet_sendCalls: idOf,
      wallet_getCallsStatus: () => states.shift(),
    });
    await expect(run(wallet)).rejects.toThrow('no');
    expect(await run(wallet)).toMatchObject({ hash: HASH });
    expect(requested.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
  });

  it.each([
    ['does not know them', failure(5730), 'do not sign again'],
    ['gave them up', { ...executed, status: 400 }, 'nothing reached the chain'],
    ['saw them reverted', { ...executed, status: 500 }, 'reverted'],
  ])('explains the failure and sends them again if the wallet %s', async (_what, answer, words) => {
    const { wallet } = walletOf({ wallet_sendCalls: idOf, wallet_getCallsStatus: () => answer });
    await expect(run(wallet)).rejects.toThrow(words);
    expect(mayBeSent(FROM, calls)).toBe(false);
  });

  it.each([
    ['executed a part', { ...executed, status: 600 }],
    ['names another chain', { ...executed, chainId: '0x1' }],
    ['names no transaction', { ...executed, receipts: [] }],
    ['names a transaction that failed', { ...executed, receipts: [{ ...receipt, status: '0x0' }] }],
    ['names one without an event', { ...executed, receipts: [{ ...receipt, logs: [] }] }],
    [
      'names one with events of others',
      { ...executed, receipts: [{ ...receipt, logs: [{ address: FROM }] }] },
    ],
    ['gives no hash', { ...executed, receipts: [{ ...receipt, transactionHash: '0x12' }] }],
    ['gives no block', { ...executed, receipts: [{ ...receipt, blockNumber: 'new' }] }],
    ['gives an unknown state', { ...executed, status: 300 }],
    ['gives no state', {}],
  ])('neither believes nor repeats them if the wallet %s', async (_what, answer) => {
    const { wallet, requested } = walletOf({
      wallet_sendCalls: idOf,
      wallet_getCallsStatus: () => answer,
    });
    for (let i = 0; i < 2; i += 1) await expect(run(wallet)).rejects.toThrow('Your wallet');
    expect(requested.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
  });

  it('forgets them after a day, and separates accounts', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { wallet } = walletOf({ wallet_sendCalls: idOf });
    await new CallsRequest(wallet, FROM, calls).send();
    const accounts = [FROM.toLowerCase(), TOKEN];
    expect(accounts.map((from) => mayBeSent(from, calls))).toEqual([true, false]);
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect(mayBeSent(FROM, calls)).toBe(false);
  });
});
