import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { waitFor } from '../../test/support/wait-for.ts';

/** A system that is ready. */
interface Started {
  /** Origin of its API. */
  readonly url: string;
  readonly dataDir: string;
  /** Process of `tributary start`. */
  readonly pid: number;
  /** Milliseconds until `/ready`. */
  readonly readyMs: number;
}

/**
 * Starts everything in an empty folder as a user does, and stops it after the work.
 * @param timeout milliseconds until it must be ready.
 */
export async function whileStarted<T>(
  name: string,
  env: Readonly<Record<string, string>>,
  timeout: number,
  work: (started: Started) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), `tributary-bench-${name}-`));
  await chmod(dataDir, 0o755);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/tributary.mjs', 'start'], {
    cwd: projectRoot,
    stdio: 'ignore',
    env: { ...inheritedEnv(), DATA_DIR: dataDir, PORT: String(port), ...env },
  });
  const ended = once(child, 'close');
  try {
    const isReady = async () => (await fetch(`${url}/ready`)).ok;
    await waitFor(isReady, { what: '/ready', timeout });
    return await work({ url, dataDir, pid: child.pid ?? 0, readyMs: performance.now() - began });
  } finally {
    child.kill('SIGINT');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}
