import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../processes.ts';

interface Patch {
  readonly patchFile: URL;
  changed(path: string, source: string, cacheSchema?: string): string;
}

const { changed, patchFile }: Patch = await import(new URL('./patch.mjs', import.meta.url).href);
const ponder = join(projectRoot, 'node_modules/ponder');

test('applies the patch to the pinned Ponder as `patch` does, and changes no other file', async () => {
  const diffs = (await readFile(patchFile, 'utf8')).split(/^(?=diff --git )/m);
  expect(diffs).toHaveLength(9);
  for (const diff of diffs) {
    const file = /^\+\+\+ b\/(.+)$/m.exec(diff)?.[1] ?? '';
    const source = changed(file, await readFile(join(ponder, file), 'utf8'));
    // Git names the patched file by its hash.
    const bytes = Buffer.from(source);
    const hash = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    expect(diff).toContain(`..${hash} `);
  }
  expect(changed('dist/esm/rpc/http.js', 'other')).toBe('other');
});

test('lets a commit of Ponder wait for the disk, so that a crash of PostgreSQL loses no fact', async () => {
  const file = 'dist/esm/utils/pg.js';
  const source = await readFile(join(ponder, file), 'utf8');
  expect(source).toContain('synchronous_commit = off');
  expect(changed(file, source)).not.toContain('synchronous_commit = off');
});

test('refuses a module of another version of Ponder', () => {
  expect(() => changed('dist/esm/sync-store/index.js', 'export const other = 1;')).toThrow(
    /sync-store\/index\.js is not the one that .* changes \(blob [0-9a-f]{40}\)/,
  );
});

test('gives the cache of RPC responses the name that is wanted, and leaves metrics alone', () => {
  const source = 'await sql`ANALYZE ponder_sync.blocks`; count("ponder_sync_block");';
  expect(changed('dist/esm/sync-store/migrations.js', source, 'ponder_sync_2')).toBe(
    'await sql`ANALYZE ponder_sync_2.blocks`; count("ponder_sync_block");',
  );
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
])('says replaced: $replaced if $when', async ({ has, at, replaced }) => {
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

interface BulkInserts {
  withBulkInserts(store: object, parts: object): Store;
}

const { withBulkInserts }: BulkInserts = await import(
  new URL('./bulk-inserts.mjs', import.meta.url).href
);

/** A store over a connection that passes the rows of each statement to `run`. */
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
  return withBulkInserts({}, { qb, sql, schema: 'ponder_sync', encoders: { encodeLog } });
}

const logs = (...indexes: number[]) => ({ logs: indexes.map((index) => ({ index })), chainId: 1 });

test('writes rows that arrive together with one statement, and resolves each call when it ends', async () => {
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

test('fails only the calls whose rows were in the statement that failed', async () => {
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
