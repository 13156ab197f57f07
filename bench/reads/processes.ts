import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';

/** An HTTP server in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** Keys the cookies and cursors of a bench's API, so that all of its runs answer alike. */
export const SECRET = 'of benches alone: thirty-two characters or more';

/** Requests of one session a minute are half of that: far more than one machine answers. */
const REQUESTS_PER_MINUTE = '1000000';

/**
 * `tributary api` on a ledger, as a deployment runs it, its log included.
 * @param keeps whether it gives answers again, as a deployment does; else each is made.
 */
export async function serveTributary(
  databaseUrl: string,
  deployment: { readonly chainId: number; readonly contractAddress: string },
  keeps: boolean,
): Promise<Served> {
  const port = await freePort();
  return await start(['scripts/tributary.mjs', 'api'], port, {
    DATABASE_URL: databaseUrl,
    CHAIN_ID: String(deployment.chainId),
    // Reads as of the settled block ask no chain.
    RPC_URL: 'http://127.0.0.1:1',
    CONTRACT_ADDRESS: deployment.contractAddress,
    START_BLOCK: '1',
    SECRET,
    RATE_LIMIT_PER_MINUTE: REQUESTS_PER_MINUTE,
    ...(keeps ? {} : { ANSWERS_KEPT_MIB: '0' }),
  });
}

/** Hono with one look-up by primary key: the ceiling of point reads. */
export async function serveBare(databaseUrl: string): Promise<Served> {
  const port = await freePort();
  const program = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  return await start(['--import', 'tsx', program], port, { DATABASE_URL: databaseUrl });
}

async function start(
  args: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<Served> {
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...args], {
    cwd: projectRoot,
    env: { ...inheritedEnv(), NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = () => stopped(child);
  try {
    await answers(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid ?? 0, stop };
}

const START_MS = 120_000;

async function answers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    await answer?.text();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server does not answer');
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
