import { expect, test } from 'vitest';

interface Block {
  readonly number: string;
  readonly hash: string;
}

interface QuietBlocks {
  quietBlocks(options: {
    readonly urls: readonly string[];
    readonly address: string;
    readonly send: (url: string, request: { readonly body: string }) => Promise<Response>;
    readonly clock?: () => number;
  }): (from: Block, to: Block) => Promise<boolean>;
  hasNoLogs(block: { readonly transactions?: readonly unknown[] }): boolean;
}

const { quietBlocks, hasNoLogs }: QuietBlocks = await import(
  new URL('./quiet-blocks.mjs', import.meta.url).href
);

const from = { number: '0x64', hash: '0xa' };
const to = { number: '0x78', hash: '0xb' };

/** What an RPC answers: storage roots by block hash, logs of the range, and the hash at the first block's height. */
interface Answers {
  readonly roots: Readonly<Record<string, string>>;
  readonly logs: readonly unknown[];
  readonly hash: string;
}

const QUIET: Answers = {
  roots: { '0xa': '0x1', '0xb': '0x1', '0xc': '0x1' },
  logs: [],
  hash: '0xa',
};

/** An RPC, and the methods that it was asked; without answers it refuses everything. */
function rpcOf(answersOf: (url: string) => Answers | undefined) {
  const asked: string[] = [];
  const send = async (url: string, { body }: { readonly body: string }) => {
    const { method, params } = JSON.parse(body);
    asked.push(`${url} ${method}`);
    const answers = answersOf(url);
    if (answers === undefined) return Response.json({ error: { code: -32_601, message: 'no' } });
    const result = {
      eth_getProof: () => ({ storageHash: answers.roots[params[2].blockHash] }),
      eth_getLogs: () => answers.logs,
      eth_getBlockByNumber: () => ({ hash: answers.hash }),
    }[method as 'eth_getProof' | 'eth_getLogs' | 'eth_getBlockByNumber']();
    return Response.json({ result });
  };
  return { asked, send };
}

test.each([
  { quiet: true, answers: QUIET, when: 'storage, logs and the first block say so' },
  {
    quiet: false,
    answers: { ...QUIET, roots: { '0xa': '0x1', '0xb': '0x2' } },
    when: 'the storage of the contract has changed',
  },
  { quiet: false, answers: { ...QUIET, logs: [{}] }, when: 'there is a log without a change' },
  { quiet: false, answers: { ...QUIET, hash: '0xd' }, when: 'a reorg replaced the first block' },
  {
    quiet: false,
    answers: { ...QUIET, roots: { '0xa': '0x1' } },
    when: 'the RPC does not have the second block',
  },
  { quiet: false, answers: undefined, when: 'the RPC refuses' },
])('says quiet: $quiet if $when', async ({ answers, quiet }) => {
  const { send } = rpcOf(() => answers);
  expect(await quietBlocks({ urls: ['a'], address: '0x5', send })(from, to)).toBe(quiet);
});

test('asks three times about a range that follows a quiet one', async () => {
  let answers = QUIET;
  const { asked, send } = rpcOf(() => answers);
  const isQuiet = quietBlocks({ urls: ['a'], address: '0x5', send });
  expect(await isQuiet(from, to)).toBe(true);
  expect(asked).toHaveLength(4);
  asked.length = 0;
  answers = { ...QUIET, hash: '0xb' };
  expect(await isQuiet(to, { number: '0x90', hash: '0xc' })).toBe(true);
  expect(asked).toEqual(['a eth_getProof', 'a eth_getLogs', 'a eth_getBlockByNumber']);
});

test('asks nothing about one or two missing blocks, or about more than it may leave out', async () => {
  const { asked, send } = rpcOf(() => QUIET);
  const isQuiet = quietBlocks({ urls: ['a'], address: '0x5', send });
  for (const number of ['0x65', '0x66', '0x67', '0x1000']) {
    expect(await isQuiet(from, { number, hash: '0xb' })).toBe(false);
  }
  expect(asked).toEqual([]);
});

test('asks another RPC if the first does not answer, and then none for five minutes', async () => {
  let now = 0;
  let isAway = false;
  const { asked, send } = rpcOf((url) => (url === 'a' || isAway ? undefined : QUIET));
  const isQuiet = quietBlocks({ urls: ['a', 'b'], address: '0x5', send, clock: () => now });
  expect(await isQuiet(from, to)).toBe(true);
  isAway = true;
  expect(await isQuiet(from, to)).toBe(false);
  asked.length = 0;
  isAway = false;
  now += 299_999;
  expect(await isQuiet(from, to)).toBe(false);
  expect(asked).toEqual([]);
  now += 1;
  expect(await isQuiet(from, to)).toBe(true);
});

test('believes an empty bloom only of a block without a transaction', () => {
  expect(hasNoLogs({ transactions: [] })).toBe(true);
  expect(hasNoLogs({ transactions: [{}] })).toBe(false);
  // A WebSocket announces headers alone.
  expect(hasNoLogs({})).toBe(false);
});
