import { custom, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { WrongChainError } from '../../engine/chain/identity.ts';
import { agree } from '../../engine/chain/quorum.ts';
import { RpcWatch } from '../../engine/chain/rpc-watch.ts';
import { describeRpc, type RpcState } from '../../engine/core/rpc-health.ts';

const URL_WITH_KEY = 'https://user:password@rpc.example:8545/v2/s3cret';
const START = Date.parse('2026-11-26T10:04:05Z');

let now: number;
let watch: RpcWatch;
let answer: () => unknown;

beforeEach(() => {
  now = START;
  watch = new RpcWatch(() => now);
});

/** Requests to a watched URL. */
function rpc(place = 1, url = URL_WITH_KEY) {
  const transport = custom({ request: async () => answer() }, { retryCount: 0 });
  const { request } = watch.compared(watch.watched(transport, url, place), place)({});
  return async (method: string, params: unknown = []) => {
    await request({ method, params }).catch(() => {});
  };
}

const fail = (error: Error) => () => {
  throw error;
};
const http = (status: number, headers = {}) =>
  fail(new HttpRequestError({ url: URL_WITH_KEY, status, headers: new Headers(headers) }));
const jsonRpc = (code: number, message: string) =>
  fail(new RpcRequestError({ body: {}, url: URL_WITH_KEY, error: { code, message } }));

const states = () => watch.health().map(({ state }) => state);

describe('the state of an RPC', () => {
  it('begins as unused, and holds nothing of the URL', async () => {
    const ask = rpc(2);
    expect(watch.health()).toMatchObject([{ place: 2, state: 'unused', since: new Date(START) }]);
    answer = () => '0x1';
    await ask('eth_chainId');
    expect(states()).toEqual(['ok']);
    expect(JSON.stringify(watch.health())).not.toMatch(/s3cret|password|user|example/);
  });

  it.each<[what: string, RpcState, () => unknown]>([
    ['HTTP 429', 'rate-limited', http(429)],
    ['a limit in words', 'rate-limited', jsonRpc(-32_000, 'daily request count exceeded')],
    ['HTTP 401', 'refused', http(401)],
    ['HTTP 403', 'refused', http(403)],
    ['HTTP 502', 'unreachable', http(502)],
    ['no connection', 'unreachable', fail(new HttpRequestError({ url: URL_WITH_KEY }))],
    ['nothing in time', 'unreachable', fail(new TimeoutError({ body: {}, url: URL_WITH_KEY }))],
    ['a method that it does not have', 'ok', jsonRpc(-32_601, 'the method does not exist')],
    ['a revert', 'ok', jsonRpc(3, 'execution reverted')],
    ['an unknown block', 'ok', jsonRpc(-39_001, 'unknown block')],
  ])('after %s is %s', async (_what, state, how) => {
    const ask = rpc();
    answer = how;
    await ask('eth_call');
    expect(states()).toEqual([state]);
  });

  it('becomes refused after an error in a method that every RPC has, and in no other', async () => {
    const ask = rpc();
    answer = jsonRpc(-32_000, 'the node is being restarted');
    await ask('eth_getProof');
    expect(states()).toEqual(['ok']);
    await ask('eth_getBlockByNumber', ['0x1', false]);
    expect(states()).toEqual(['refused']);
  });

  it('says that the RPC is of another chain, which the comparison around its requests finds', async () => {
    watch.add(URL_WITH_KEY, 1);
    const request = fail(new WrongChainError('The RPC is of chain 5'));
    const transport = () => ({ ...custom({ request: async () => {} })({}), request });
    await expect(async () =>
      watch
        .compared(
          transport as never,
          1,
        )({})
        .request({ method: 'eth_chainId' }),
    ).rejects.toThrow('chain 5');
    expect(states()).toEqual(['other-chain']);
  });

  it('ends when the RPC has answered for half a minute, so that one that fails now and then does not flap', async () => {
    const ask = rpc();
    const seen: RpcState[] = [];
    for (let seconds = 0; seconds < 120; seconds += 1, now += 1_000) {
      answer = seconds < 60 && seconds % 10 === 0 ? http(503) : () => '0x1';
      await ask('eth_chainId');
      if (seen.at(-1) !== states()[0]) seen.push(...states());
    }
    expect(seen).toEqual(['unreachable', 'ok']);
    expect(watch.health()[0]?.since).toEqual(new Date(START + 80_000));
  });

  it.each([
    ['30', START + 30_000],
    ['Thu, 26 Nov 2026 10:05:00 GMT', Date.parse('2026-11-26T10:05:00Z')],
  ])(
    'says until when the RPC wants to be left alone after `Retry-After: %s`',
    async (after, at) => {
      const ask = rpc();
      answer = http(429, { 'retry-after': after });
      await ask('eth_chainId');
      const [health] = watch.health();
      expect(health?.until).toEqual(new Date(at));
      expect(health && describeRpc(health)).toBe(
        `RPC 1 of RPC_URL limits requests until ${new Date(at).toISOString()}`,
      );
    },
  );

  it('becomes behind if its newest block is old next to that of another, until it has caught up', async () => {
    const [first, second] = [rpc(1), rpc(2, 'http://other.example')];
    const newest = (seconds: number) => () => ({ timestamp: `0x${seconds.toString(16)}` });
    answer = newest(1_000);
    await first('eth_getBlockByNumber', ['latest', false]);
    answer = newest(969);
    await second('eth_getBlockByNumber', ['latest', false]);
    expect(states()).toEqual(['ok', 'behind']);
    answer = newest(999);
    await second('eth_getBlockByNumber', ['latest', false]);
    expect(states()).toEqual(['ok', 'ok']);
  });
});

describe('the most blocks of one eth_getLogs', () => {
  const range = (blocks: number) => [
    { fromBlock: '0x64', toBlock: `0x${(99 + blocks).toString(16)}` },
  ];

  it.each([
    'query returned more than 10000 results',
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    'eth_getLogs is limited to a 10,000 range',
    'exceed maximum block range: 5000',
  ])('follows from "%s"', async (words) => {
    const ask = rpc();
    answer = () => [];
    await ask('eth_getLogs', range(5));
    answer = jsonRpc(-32_005, words);
    await ask('eth_getLogs', range(20_000));
    expect(watch.health()).toMatchObject([{ maxLogBlocks: 5, state: 'ok' }]);
  });

  it('becomes what the RPC has answered below what it refused', async () => {
    const ask = rpc();
    const limited = (most: number) => async (blocks: number) => {
      answer = blocks > most ? jsonRpc(-32_602, 'block range is too wide') : () => [];
      await ask('eth_getLogs', range(blocks));
    };
    const small = limited(800);
    await small(700);
    expect(watch.health()[0]?.maxLogBlocks).toBeNull();
    for (const blocks of [2_000, 1_000, 500, 750]) await small(blocks);
    expect(watch.health()).toMatchObject([{ maxLogBlocks: 750, state: 'ok' }]);
    await limited(10_000)(2_000);
    expect(watch.health()[0]?.maxLogBlocks).toBeNull();
  });
});

describe('disagreements', () => {
  const vote = async (answers: readonly unknown[]) => {
    const found: (readonly number[])[] = [];
    const ask = async (one: unknown) => one;
    await agree(answers, 2, 'block 7', ask, (one) => found.push(one)).catch(() => {});
    await Promise.resolve();
    return found;
  };

  it('concern those whose answer fewer gave than another one, or all; a missing block is no answer', async () => {
    expect(await vote(['a', 'a', 'b'])).toEqual([[2]]);
    expect(await vote(['a', 'a', 'a'])).toEqual([]);
    expect(await vote(['a', 'a', null])).toEqual([]);
    expect(await vote(['a', null, null])).toEqual([]);
    expect(await vote(['a', 'b'])).toEqual([[0, 1]]);
    expect(await vote(['a', 'b', 'c'])).toEqual([[0, 1, 2]]);
  });

  it('add up, with the last one’s time and subject', () => {
    watch.add(URL_WITH_KEY, 1);
    watch.disagreed(1, 'block 7');
    now += 5_000;
    watch.disagreed(1, 'block 8');
    expect(watch.health()).toMatchObject([
      { disagreements: 2, lastDisagreement: { at: new Date(START + 5_000), about: 'block 8' } },
    ]);
  });
});
