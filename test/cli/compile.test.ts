import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';

const { compiledCommand }: { compiledCommand: (root: string) => Promise<URL> } = await import(
  new URL('../../engine/cli/compile.mjs', import.meta.url).href
);

const { compiledPonder }: { compiledPonder: (options: object) => Promise<URL> } = await import(
  new URL('../../engine/cli/stack/ponder/compile.mjs', import.meta.url).href
);

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-compile-'));
  await mkdir(join(root, 'engine', 'cli'), { recursive: true });
  await mkdir(join(root, 'node_modules'));
  await writeFile(join(root, 'package.json'), '{ "type": "module" }');
  await write('engine/cli/neighbor.txt', 'the neighbor');
  await write('engine/cli/word.ts', `export const word: string = 'first';\n`);
  await write(
    'engine/cli/main.ts',
    `import { readFileSync } from 'node:fs';
import { word } from './word.ts';
interface Said { readonly word: string }
const said: Said = { word };
console.log(said.word, readFileSync(new URL('./neighbor.txt', import.meta.url), 'utf8'));
if (process.argv[2] === 'throw') throw new Error('as asked');
`,
  );
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await writeFile(join(root, path), text);
}

async function run(entry: URL, ...args: string[]): Promise<string> {
  const command = [...['--enable-source-maps', fileURLToPath(entry)], ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return stdout.trim();
}

describe('the compiled command', () => {
  it('runs, and finds files next to its sources', async () => {
    expect(await run(await compiledCommand(root))).toBe('first the neighbor');
  });

  it('compiles once, and again when one of its sources changes', async () => {
    const first = await compiledCommand(root);
    expect((await compiledCommand(root)).href).toBe(first.href);
    await write('engine/cli/word.ts', `export const word: string = 'second';\n`);
    const second = await compiledCommand(root);
    expect(second.href).not.toBe(first.href);
    expect(await run(second)).toBe('second the neighbor');
    // A running process may still load parts of the first command.
    expect(await run(first)).toBe('first the neighbor');
  });

  it('compiles one command if several processes compile concurrently', async () => {
    const urls = await Promise.all([1, 2, 3].map(() => compiledCommand(root)));
    expect(new Set(urls.map(({ href }) => href)).size).toBe(1);
    expect(await run(urls[0] ?? new URL('file:///'))).toBe('first the neighbor');
    const folder = join(root, 'node_modules', '.cache', 'tributary');
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('removes commands of older sources after a day', async () => {
    const old = await compiledCommand(root);
    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1_000);
    await utimes(new URL('.', old), yesterday, yesterday);
    await write('engine/cli/word.ts', `export const word: string = 'second';\n`);
    await compiledCommand(root);
    const folder = join(root, 'node_modules', '.cache', 'tributary');
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('names source and line of an error', async () => {
    await expect(run(await compiledCommand(root), 'throw')).rejects.toThrow(/main\.ts:6:/);
  });

  it('throws the error of the file system if the cache is read-only', async () => {
    const bare = join(root, 'bare');
    await cp(join(root, 'engine'), join(bare, 'engine'), { recursive: true });
    await writeFile(join(bare, 'node_modules'), 'not a folder');
    await expect(compiledCommand(bare)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

it('runs as `tributary`, whose help names every command', async () => {
  const script = join(projectRoot, 'scripts', 'tributary.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--help']);
  for (const name of ['start', 'status', 'verify', 'audit', 'replay', 'reindex', 'worker', 'api']) {
    expect(stdout).toContain(`  ${name} `);
  }
});

describe('the compiled indexer', { timeout: 120_000 }, () => {
  it('runs from a folder outside the project, and is compiled once', async () => {
    const folder = join(root, 'elsewhere');
    const main = await compiledPonder({ folder });
    expect(await run(main, '--version')).toMatch(/^\d+\.\d+\.\d+$/);
    expect((await compiledPonder({ folder })).href).toBe(main.href);
  });

  it('contains the project, and loads no Vite', async () => {
    const main = fileURLToPath(await compiledPonder({ folder: join(root, 'elsewhere') }));
    const names = (await readdir(dirname(main))).filter((name) => name.endsWith('.mjs'));
    const codes = await Promise.all(
      names.map((name) => readFile(join(dirname(main), name), 'utf8')),
    );
    expect(codes.some((code) => /`ReferralCommerce:\$\{name\}`/.test(code))).toBe(true);
    expect(codes.filter((code) => /["'/]vite(-node)?["'/]/.test(code))).toEqual([]);
  });

  it('uses another cache of RPC responses if it is named', async () => {
    const folder = join(root, 'elsewhere');
    const [first, second] = await Promise.all(
      ['ponder_sync', 'ponder_sync_2'].map(async (cacheSchema) => {
        return await readFile(await compiledPonder({ folder, cacheSchema }), 'utf8');
      }),
    );
    expect(first).toMatch(/\bponder_sync\b/);
    expect(second).toMatch(/\bponder_sync_2\b/);
    expect(second).not.toMatch(/\bponder_sync\b/);
  });

  it('rejects a name that is none of a schema', async () => {
    await expect(compiledPonder({ cacheSchema: '"; drop' })).rejects.toThrow('is no name');
  });
});
