import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { runHere } from '../support/run-cli.ts';

/** Clears the screen, reverses what follows, and begins a line that is not the program's own. */
const HOSTILE = '\u001b[2J\u202eUSDC\n✓ pass\u2028{"level":30}';
const SHOWN = '\\u{1b}[2J\\u{202e}USDC\\u{a}✓ pass\\u{2028}{"level":30}';
/** What acts on a terminal or does not show, except line feeds. */
const ACTS = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

describe('texts of strangers', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  /** Address of a service that gives every request the same answer. */
  async function answering(status: number, body: object): Promise<string> {
    const opened = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' });
        const asked: { id: number } | { id: number }[] = text === '' ? [] : JSON.parse(text);
        // An RPC gets its calls one by one, or as a batch.
        const answers = [asked].flat().map(({ id }) => ({ jsonrpc: '2.0', id, ...body }));
        const answer = Array.isArray(asked) ? answers : answers[0];
        response.end(JSON.stringify(text === '' ? body : answer));
      });
    });
    server = opened;
    await new Promise<void>((done) => opened.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
  }

  const status = {
    status: 'attention',
    version: HOSTILE,
    deployment: { chainId: 1, contractAddress: '0x00' },
    chain: { number: '7', timestamp: HOSTILE },
    settled: null,
    indexed: null,
    finalized: null,
    lag: { indexer: 0, total: 0 },
    counts: { campaigns: 1, nodes: 1, sales: 1 },
    queue: null,
    discrepancies: { count: 0 },
    stopped: [],
    alarms: [HOSTILE],
    lastBackupAt: null,
    chainSilentSince: null,
    rpcs: [{ part: 'worker', place: 1, state: HOSTILE }],
  };

  it('a status does not act on a terminal', async () => {
    const url = await answering(200, { data: status, meta: { requestId: 'one' } });
    const { stdout, stderr } = await runHere(['status', '--url', url], { NO_COLOR: '1' });
    expect({ stderr, acts: ACTS.exec(stdout) }).toEqual({ stderr: '', acts: null });
    expect(stdout.split('\n')).toContain(SHOWN);
    expect(stdout).toContain(`7 (${SHOWN})`);
    expect(stdout).toMatch(/RPC 1 of the worker +\S/);
  });

  it('a status has the same value with --json, and does not act on a terminal', async () => {
    const url = await answering(200, { data: status, meta: { requestId: 'one' } });
    const { stdout } = await runHere(['status', '--url', url, '--json']);
    expect(JSON.parse(stdout)).toEqual(status);
    expect(ACTS.exec(stdout)).toBeNull();
  });

  it('an error of an RPC does not act on a terminal, and begins no line', async () => {
    const url = await answering(200, { error: { code: 3, message: `reverted: ${HOSTILE}` } });
    const at = '0x0000000000000000000000000000000000000001';
    const { code, stdout, stderr } = await runHere(['verify-contract', at, '--rpc', url], {
      NO_COLOR: '1',
    });
    expect({ code, stdout, acts: ACTS.exec(stderr) }).toEqual({ code: 1, stdout: '', acts: null });
    expect(stderr).toMatch(/^The RPC 127\.0\.0\.1:\d+ returned an error: reverted: \\u\{1b\}\[2J/);
    expect(stderr).not.toMatch(/^✓ pass/m);
  });
});

describe('npm run check:style', () => {
  /** Files, and the rule that refuses each; `undefined` for those that are allowed. */
  const files: readonly (readonly [file: string, code: string, rule: string | undefined])[] = [
    ['engine/cli/commands/one.ts', "console.log('');", 'lint/suspicious/noConsole'],
    ['sample/one.ts', "console.error('');", 'lint/suspicious/noConsole'],
    ['web/src/one.tsx', "console.warn('');", 'lint/suspicious/noConsole'],
    ['engine/http/one.ts', "process.stdout.write('');", 'plugin'],
    ['engine/settlement/one.ts', 'export const { write } = process.stderr;', 'plugin'],
    ['web/src/pages/one.tsx', "document.title = 'x';", 'plugin'],
    ...['cli-table3', 'listr2', 'node:process', 'nodemailer', 'picocolors', 'pino'].map(
      (name) =>
        [
          `engine/jobs/${name.replace(':', '-')}.ts`,
          `import one from '${name}';\none();`,
          'lint/style/noRestrictedImports',
        ] as const,
    ),
    ['engine/cli/two.ts', 'export const isShown = process.stdout.isTTY;', undefined],
    ['engine/http/two.ts', "export type { Logger } from 'pino';", undefined],
    ['engine/cli/output.ts', "console.log('');\nprocess.stdout.write('');", undefined],
    ['web/src/title.ts', "document.title = 'x';", undefined],
    ['scripts/one.ts', "console.log('');", undefined],
  ];

  it('refuses every way around the function, and no other code', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-lint-'));
    try {
      for (const file of ['biome.json', '.gitignore', 'scripts']) {
        await cp(join(projectRoot, file), join(folder, file), {
          recursive: true,
          filter: (path) => !/[.](ts|mjs)$/.test(path),
        });
      }
      for (const [file, code] of files) {
        await mkdir(dirname(join(folder, file)), { recursive: true });
        await writeFile(join(folder, file), `${code}\n`);
      }
      const biome = join(projectRoot, 'node_modules/@biomejs/biome/bin/biome');
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [biome, 'lint', '--reporter=github', ...new Set(files.map(([file]) => file))],
        { cwd: folder, encoding: 'utf8' },
      );
      const found = [...`${stdout}${stderr}`.matchAll(/::error title=([^,]+),file=([^,]+),/g)];
      expect(found.map(([, rule, file = '']) => [relative(folder, file), rule]).sort()).toEqual(
        files.flatMap(([file, , rule]) => (rule ? [[file, rule]] : [])).sort(),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
