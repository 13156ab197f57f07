import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { waitFor } from '../support/wait-for.ts';
import { blocksOf, missingPart, outputsOf, programOf } from '../support/walkthrough.ts';

const MARKER = '--- block at line';

let dataDir: string;
let env: Record<string, string>;
let port: number;
let start: Running;

type Running = ReturnType<typeof run>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-walkthrough-'));
  await chmod(dataDir, 0o755);
  port = await freePort();
  env = { ...inheritedEnv(), DATA_DIR: dataDir, PORT: String(port) };
  start = run(['scripts/tributary.mjs', 'start']);
  await waitFor(() => start.stdout().includes('Tributary is running'), {
    what: 'the screen',
    timeout: 200_000,
  });
}, 210_000);

afterAll(async () => {
  start?.child.kill('SIGINT');
  await start?.exited;
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

describe('examples/walkthrough.md', () => {
  it('prints the output that the page shows, block by block', async () => {
    const page = await readFile(join(projectRoot, 'examples', 'walkthrough.md'), 'utf8');
    const blocks = blocksOf(page);
    const program = programOf(blocks, { root: projectRoot, marker: MARKER });
    const { code, stdout, stderr } = await runProgram(
      program.replaceAll('127.0.0.1:4000', `127.0.0.1:${port}`),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    const outputs = outputsOf(stdout, MARKER);
    const documented = blocks.flatMap((block, i) => {
      const before = blocks[i - 1];
      return block.language === 'text' && before ? [{ block, printedBy: before.line }] : [];
    });
    expect(documented.length).toBeGreaterThan(8);
    for (const { block, printedBy } of documented) {
      const output = outputs.get(printedBy) ?? '';
      const missing = missingPart(block.text, output);
      expect({ line: block.line, missing, output }).toEqual({ line: block.line, output });
    }
  }, 120_000);
});

/** Runs a TypeScript module that lies in the project, where its packages are found. */
async function runProgram(program: string) {
  const folder = join(projectRoot, '.tributary');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `walkthrough-${process.pid}.mts`);
  await writeFile(path, program);
  try {
    const running = run(['--import', 'tsx', path]);
    const code = await running.exited;
    return { code, stdout: running.stdout(), stderr: running.stderr() };
  } finally {
    await rm(path, { force: true });
  }
}

function run(args: string[]) {
  const child = spawn(process.execPath, args, { cwd: projectRoot, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { child, exited, stdout: () => stdout, stderr: () => stderr };
}
