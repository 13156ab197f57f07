import { beforeEach, expect, it } from 'vitest';

interface Guard {
  guardedFetch(
    send: typeof fetch,
    options: {
      chainId: number;
      startBlock: number;
      genesisHash?: string;
      urls: readonly string[];
      credentials: Record<string, string>;
    },
  ): typeof fetch;
  withoutCredentials(urls: readonly string[]): {
    urls: string[];
    credentials: Record<string, string>;
  };
}

const { guardedFetch, withoutCredentials }: Guard = await import(
  new URL('./chain-guard.mjs', import.meta.url).href
);

const FIRST = 'http://first.example/';
const SECOND = 'http://second.example/key';

/** Answers of the RPCs by URL and method; an RPC without answers is away. */
let answers: Record<string, Record<string, unknown>>;
let asked: [url: string, method: string, authorization: string | null][];

/** An error of JSON-RPC. */
class Refusal {
  constructor(
    readonly code: number,
    readonly message: string,
  ) {}
}

const send: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { method, params } = (await request.json()) as { method: string; params: unknown[] };
  asked.push([request.url, method, request.headers.get('authorization')]);
  const own = answers[request.url];
  if (own === undefined) throw new TypeError('fetch failed');
  const answer = own[`${method} ${params[0]}`] ?? own[method];
  const error = answer instanceof Refusal ? answer : undefined;
  const status = typeof own.status === 'number' ? own.status : 200;
  const said = { jsonrpc: '2.0', id: 1, ...(error ? { error } : { result: answer }) };
  return Response.json(said, { status });
};

const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_blockNumber', params: [] });
const post = (guard: typeof fetch, url: string) =>
  guard(new Request(url, { method: 'POST', body }));

const PRUNED = new Refusal(4444, 'pruned history unavailable');

const right = {
  eth_chainId: '0x2105',
  'eth_getBlockByNumber 0x0': { hash: '0xAA' },
  'eth_getBlockByNumber 0x64': { hash: '0xA64' },
  eth_blockNumber: '0x1',
};

beforeEach(() => {
  asked = [];
  answers = { [FIRST]: right, [SECOND]: right };
});

function guard(urls: readonly string[] = [FIRST, SECOND], genesisHash?: string) {
  const chain = { chainId: 8_453, startBlock: 100, ...(genesisHash && { genesisHash }) };
  return guardedFetch(send, { ...chain, ...withoutCredentials(urls) });
}

it('compares each of several RPCs once, and passes requests on', async () => {
  const guarded = guard();
  for (let i = 0; i < 3; i += 1) expect((await post(guarded, FIRST)).ok).toBe(true);
  expect(asked.map(([, method]) => method).sort()).toEqual([
    ...['eth_blockNumber', 'eth_blockNumber', 'eth_blockNumber'],
    ...['eth_chainId', 'eth_getBlockByNumber', 'eth_getBlockByNumber'],
  ]);
});

it.each([
  ['has another chain id', { ...right, eth_chainId: '0x1' }],
  ['has another first block', { ...right, 'eth_getBlockByNumber 0x0': { hash: '0xBB' } }],
  ['does not say its chain', { ...right, eth_chainId: undefined }],
  [
    'has pruned its first block, and has another start block',
    {
      ...right,
      'eth_getBlockByNumber 0x0': PRUNED,
      'eth_getBlockByNumber 0x64': { hash: '0xB64' },
    },
  ],
  [
    'serves neither block',
    { ...right, 'eth_getBlockByNumber 0x0': PRUNED, 'eth_getBlockByNumber 0x64': PRUNED },
  ],
  [
    'refuses its first block',
    { ...right, 'eth_getBlockByNumber 0x0': new Refusal(429, 'slow down') },
  ],
])('sends no request for a block to an RPC that %s', async (_, wrong) => {
  const guarded = guard();
  await post(guarded, FIRST);
  answers[SECOND] = wrong;
  await expect(post(guarded, SECOND)).rejects.toThrow(
    /of another chain|of chain|of which chain|did not return block 0/,
  );
  expect(asked).not.toContainEqual([SECOND, 'eth_blockNumber', null]);
});

it.each(['0xaa', '0xa64'])(
  'believes the record of the ledger (%s), and not the RPC that answers first',
  async (recorded) => {
    const other = {
      ...right,
      'eth_getBlockByNumber 0x0': { hash: '0xBB' },
      'eth_getBlockByNumber 0x64': { hash: '0xB64' },
    };
    answers = { [SECOND]: other };
    const guarded = guard([FIRST, SECOND], recorded);
    await expect(post(guarded, FIRST)).rejects.toThrow('fetch failed');
    await expect(post(guarded, SECOND)).rejects.toThrow('of another chain with the id 8453');
    answers[FIRST] = right;
    expect((await post(guarded, FIRST)).ok).toBe(true);
  },
);

it('knows a chain that was recorded by a start block of another number', async () => {
  const old = { number: '0x5', hash: '0xA05' };
  const served = { 'eth_getBlockByHash 0xa05': old, 'eth_getBlockByNumber 0x5': old };
  answers = { [FIRST]: { ...right, ...served }, [SECOND]: right };
  const guarded = guard([FIRST, SECOND], '0xa05');
  expect((await post(guarded, FIRST)).ok).toBe(true);
  await expect(post(guarded, SECOND)).rejects.toThrow('than the ledger');
});

it('compares an RPC again after it was away', async () => {
  const guarded = guard();
  await post(guarded, FIRST);
  await post(guarded, SECOND);
  delete answers[SECOND];
  await expect(post(guarded, SECOND)).rejects.toThrow('fetch failed');
  answers[SECOND] = { ...right, eth_chainId: '0x1' };
  await expect(post(guarded, SECOND)).rejects.toThrow('of chain 1, not of chain 8453');
});

it.each([
  ['was away', undefined],
  ['answered HTTP 503', { ...right, status: 503 }],
])('compares an RPC again after another one %s', async (_, failing) => {
  const guarded = guard();
  await post(guarded, FIRST);
  await post(guarded, SECOND);
  if (failing === undefined) delete answers[FIRST];
  else answers[FIRST] = failing;
  await post(guarded, FIRST).catch(() => {});
  answers[SECOND] = { ...right, eth_chainId: '0x1' };
  await expect(post(guarded, SECOND)).rejects.toThrow('of chain 1, not of chain 8453');
});

it.each([
  ['null', null],
  ['error 4444', PRUNED],
])('accepts an RPC that has pruned its first block (%s) by its start block', async (_, first) => {
  answers[SECOND] = { ...right, 'eth_getBlockByNumber 0x0': first };
  const guarded = guard();
  await post(guarded, FIRST);
  expect((await post(guarded, SECOND)).ok).toBe(true);
});

it('costs a single RPC no further request', async () => {
  await post(guard([FIRST]), FIRST);
  expect(asked).toEqual([[FIRST, 'eth_blockNumber', null]]);
});

it('sends the credentials of a URL as a header, and nowhere else', async () => {
  const { urls, credentials } = withoutCredentials(['http://user:p%40ss@first.example/', SECOND]);
  expect(urls).toEqual([FIRST, SECOND]);
  const guarded = guardedFetch(send, { chainId: 8_453, startBlock: 100, urls, credentials });
  await post(guarded, FIRST);
  await post(guarded, SECOND);
  const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(new Set(asked.map(([url, , authorization]) => `${url} ${authorization}`))).toEqual(
    new Set([`${FIRST} ${basic}`, `${SECOND} null`]),
  );
});

it('leaves requests to other addresses alone', async () => {
  answers['http://other.example/'] = right;
  await post(guard(), 'http://other.example/');
  expect(asked).toHaveLength(1);
});
