import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keccak256, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { bloomMayHold } from '../../../settlement/bloom.ts';
import { projectRoot } from '../processes.ts';

interface Loaded {
  readonly format: string;
  readonly source: string;
}

interface Hooks {
  load(url: string, context: object, nextLoad: () => Promise<Loaded>): Promise<Loaded>;
}

const hooks: Hooks = await import(new URL('./hooks.mjs', import.meta.url).href);
const ponder = join(projectRoot, 'node_modules/ponder/dist/esm');

const load = (file: string, source: string) =>
  hooks.load(`file://${ponder}/${file}`, {}, async () => ({ format: 'module', source }));

test('the pinned Ponder’s store of RPC answers is given rows many at a time', async () => {
  const own = await readFile(join(ponder, 'sync-store/index.js'), 'utf8');
  const { source } = await load('sync-store/index.js', own);
  expect(source).toContain('export const createSyncStore = (options) =>\n  withManyRowsAtOnce(');
  expect(source.match(/export const createSyncStore =/g)).toHaveLength(1);
  expect(source).toContain('const createSyncStoreOfPonder = ({ common, qb, }) =>');
});

test('a module that another Ponder brings is refused, and any other left as it is', async () => {
  await expect(load('sync-store/index.js', 'export const other = 1;')).rejects.toThrow(
    /sync-store\/index\.js is not the one that .* was written for \(sha256 [0-9a-f]{64}\)/,
  );
  expect((await load('rpc/http.js', 'other')).source).toBe('other');
});

test('the pinned Ponder asks whether a block was replaced before it repeats a request for it', async () => {
  const rpc = await readFile(join(ponder, 'rpc/index.js'), 'utf8');
  const { source } = await load('rpc/index.js', rpc);
  expect(source.match(/await isOfReplacedBlock\(bucket\.request, body/g)).toHaveLength(1);
  expect(source.indexOf('await isOfReplacedBlock(')).toBeGreaterThan(
    source.indexOf('if (i === RETRY_COUNT)'),
  );
  const realtime = await readFile(join(ponder, 'sync-realtime/index.js'), 'utf8');
  const changed = await load('sync-realtime/index.js', realtime);
  expect(changed.source.match(/blockNumber: maybeBlockHeader\.number,/g)).toHaveLength(1);
});

interface ReplacedBlock {
  isOfReplacedBlock(
    request: (body: object) => Promise<unknown>,
    body: object,
    blockNumber: string | undefined,
  ): Promise<boolean>;
}

const { isOfReplacedBlock }: ReplacedBlock = await import(
  new URL('./replaced-block.mjs', import.meta.url).href
);

test.each([
  { has: { hash: '0xb' }, at: '0x7', replaced: true, when: 'another block is at its height' },
  { has: { hash: '0xa' }, at: '0x7', replaced: false, when: 'the chain has it' },
  { has: null, at: '0x7', replaced: false, when: 'the RPC has not come to its height' },
  { has: new Error('away'), at: '0x7', replaced: false, when: 'the RPC does not answer' },
  { has: { hash: '0xb' }, at: undefined, replaced: false, when: 'its height is not known' },
])('a block counts as replaced: $replaced, if $when', async ({ has, at, replaced }) => {
  const request = async () => {
    if (has instanceof Error) throw has;
    return has;
  };
  const body = { method: 'eth_getLogs', params: [{ blockHash: '0xa' }] };
  expect(await isOfReplacedBlock(request, body, at)).toBe(replaced);
});

type Row = Readonly<Record<string, unknown>>;

interface Store {
  insertLogs(given: { logs: readonly { index: number }[]; chainId: number }): Promise<void>;
}

interface SyncRows {
  withManyRowsAtOnce(store: object, parts: object): Store;
}

const { withManyRowsAtOnce }: SyncRows = await import(
  new URL('./sync-rows.mjs', import.meta.url).href
);

/** A store over a connection that keeps the statements, and ends each when it is told to. */
function storeOver(run: (rows: readonly Row[]) => Promise<void>): Store {
  const raw = (text: string) => text;
  const sql = Object.assign(
    (_: unknown, before: string, json: string, after: string) => {
      return { before, rows: JSON.parse(json) as Row[], after };
    },
    { raw },
  );
  const db = { execute: (query: { rows: readonly Row[] }) => run(query.rows) };
  const qb = { wrap: (_: object, ask: (on: typeof db) => Promise<void>) => ask(db) };
  const encodeLog = ({ log, chainId }: { log: { index: number }; chainId: number }) => ({
    chainId: BigInt(chainId),
    logIndex: log.index,
    topic0: null,
  });
  return withManyRowsAtOnce({}, { qb, sql, schema: 'ponder_sync', encoders: { encodeLog } });
}

const logs = (...indexes: number[]) => ({ logs: indexes.map((index) => ({ index })), chainId: 1 });

test('rows that are given together are one statement, and each call ends when they are written', async () => {
  const statements: (readonly Row[])[] = [];
  const store = storeOver(async (rows) => {
    statements.push(rows);
  });
  await Promise.all([
    store.insertLogs(logs(1, 2)),
    store.insertLogs(logs()),
    store.insertLogs(logs(3)),
  ]);
  const row = (index: number) => ({ chain_id: '1', log_index: index, topic0: null });
  expect(statements).toEqual([[row(1), row(2), row(3)]]);
  await store.insertLogs(logs(4));
  expect(statements).toHaveLength(2);
});

test('a statement that fails fails the calls whose rows it had, and not the next', async () => {
  let fails = true;
  const store = storeOver(async () => {
    if (fails) throw new Error('the connection is gone');
  });
  const calls = [store.insertLogs(logs(1)), store.insertLogs(logs(2))];
  const results = await Promise.allSettled(calls);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  await store.insertLogs(logs(3));
});

interface Bloom {
  bloomTest(hash: typeof keccak256): (bloom: string, input: `0x${string}`) => boolean;
}

const { bloomTest }: Bloom = await import(new URL('./bloom.mjs', import.meta.url).href);

test('a bloom is read as settlement reads it, which checks the indexer', async () => {
  const own = await readFile(join(ponder, 'sync-realtime/bloom.js'), 'utf8');
  const { source } = await load('sync-realtime/bloom.js', own);
  expect(source).toContain('export const isInBloom = bloomTest(keccak256);');

  const isInBloom = bloomTest(keccak256);
  const inputs = Array.from({ length: 300 }, (_, i) => numberToHex(i, { size: 32 }));
  const answers = [0, 1, 2].flatMap((seed) => {
    // A quarter of the bits, so that both answers come up.
    const digits = Array.from({ length: 16 }, (_, i) => keccak256(numberToHex(seed * 16 + i)));
    const bloom: `0x${string}` = `0x${digits
      .map((hash) => hash.slice(2))
      .join('')
      .slice(0, 512)}`;
    return inputs.map((input) => {
      const answer = isInBloom(bloom, input);
      expect(answer).toBe(bloomMayHold(bloom, input));
      expect(isInBloom(bloom, input)).toBe(answer);
      return answer;
    });
  });
  expect(new Set(answers)).toEqual(new Set([true, false]));
});
