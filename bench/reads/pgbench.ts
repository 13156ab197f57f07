import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPool } from '../../engine/db/connection.ts';
import { readSettings } from '../../engine/db/read/snapshot.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { createApp } from '../../engine/http/app.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import { CONNECTIONS, type Requested } from './load.ts';

const run = promisify(execFile);

/** Session settings of the API's connections. */
const settings = Object.entries(readSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Paths whose statements are run: each is a script of its own, and pgbench draws among them. */
const MAX_SCRIPTS = 20;

/**
 * Requests per second that PostgreSQL alone can answer: the same statements that the API sends, in the
 * same transactions, by pgbench. @returns `null` if pgbench is missing, or finished none in time,
 * or gave one up by the API's own limit, as with a list that takes long and is asked by 32 connections concurrently.
 */
export async function pgbenchRate(
  databaseUrl: string,
  deps: Omit<AppDeps, 'pool'>,
  { paths, headers }: Requested,
  seconds: number,
): Promise<number | null> {
  if (!(await isInstalled())) return null;
  const folder = await mkdtemp(join(tmpdir(), 'tributary-pgbench-'));
  try {
    const scripts = await scriptsOf(databaseUrl, deps, paths.slice(0, MAX_SCRIPTS), headers);
    const files = scripts.map((_, i) => join(folder, `${i}.sql`));
    await Promise.all(scripts.map((text, i) => writeFile(files[i] ?? '', text)));
    const { stdout } = await run(
      'pgbench',
      [
        ['--no-vacuum', '--protocol=prepared', '--client', String(CONNECTIONS), '--jobs=2'],
        ['--time', String(seconds), ...files.flatMap((file) => ['--file', file])],
        [databaseUrl],
      ].flat(),
      { env: { ...inheritedEnv(), PGOPTIONS: settings }, maxBuffer: 16 * 1024 * 1024 },
    );
    const rate = /^tps = ([0-9.]+)/m.exec(stdout)?.[1];
    // It reports no rate if nothing was done in the time; a statement that fails makes it fail.
    return rate === undefined ? null : Number(rate);
  } catch (error) {
    if (error instanceof Error && error.message.includes('due to statement timeout')) return null;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isInstalled(): Promise<boolean> {
  return await run('pgbench', ['--version']).then(
    () => true,
    () => false,
  );
}

/** The statements of each path as a script, with their parameters in them. */
async function scriptsOf(
  databaseUrl: string,
  deps: Omit<AppDeps, 'pool'>,
  paths: readonly string[],
  headers: Requested['headers'],
): Promise<string[]> {
  const sent: string[] = [];
  const pool = openPool(databaseUrl, {
    max: 1,
    onStatement: (text, parameters) => sent.push(withParameters(text, parameters)),
  });
  try {
    const app = createApp({ ...deps, pool });
    const scripts: string[] = [];
    for (const path of paths) {
      // The first request also reads what is cached from then on.
      await app.request(path, { headers });
      sent.length = 0;
      const answer = await app.request(path, { headers });
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
      scripts.push(`${sent.join(';\n')};\n`);
    }
    return scripts;
  } finally {
    await pool.end();
  }
}

/** As literals, which PostgreSQL gives a type by where they stand, as it does parameters. */
function withParameters(text: string, parameters: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, n: string) => literalOf(parameters[Number(n) - 1]));
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  // pgbench reads a colon before a word as a variable of its own.
  return `'${String(value).replaceAll("'", "''")}'`;
}
