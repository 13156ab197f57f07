import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { inheritedEnv } from '../../engine/env.ts';
import type { Installation } from './run-cli.ts';
import { waitFor } from './wait-for.ts';

/** A running command of `tributary` that answers probes. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  /** Address of `/health`, `/ready` and `/metrics`. */
  readonly url: string;
  /** Address of the API, if it is one. */
  readonly apiUrl: string;
  output(): string;
  /** Waits until the probe answers with this status. */
  until(path: '/health' | '/ready', status: number, timeout?: number): Promise<void>;
  /** Sends a signal. @returns the exit code, and the milliseconds until the end. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Starts `tributary <name>` as a supervisor does: directly, with its variables and two ports. */
export async function startPart(
  { root, uid }: Installation,
  name: 'indexer' | 'worker' | 'api',
  env: Readonly<Record<string, string>>,
): Promise<Part> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, ['scripts/tributary.mjs', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inheritedEnv(), ...env, PORT: String(port), METRICS_PORT: String(metricsPort) },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let text = '';
  const collect = (chunk: Buffer) => {
    text += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const { pid } = child;
  if (pid === undefined) throw new Error(`tributary ${name} cannot be started.`);
  const url = `http://127.0.0.1:${metricsPort}`;
  const apiUrl = `http://127.0.0.1:${port}`;
  return {
    ...{ name, pid, url, apiUrl },
    output: () => text,
    until: async (path, status, timeout = 60_000) => {
      // An API has no /ready on the port of the metrics.
      const base = name === 'api' ? apiUrl : url;
      const what = `${path} of the ${name} to be ${status}`;
      await waitFor(async () => (await fetch(base + path)).status === status, {
        ...{ what, timeout },
        interval: 100,
      }).catch((error: unknown) => {
        throw new Error(`${text.slice(-4_000)}\n${error}`);
      });
    },
    stop: async (signal = 'SIGTERM') => {
      const before = performance.now();
      child.kill(signal);
      const code = await closed;
      return { code, ms: performance.now() - before };
    },
  };
}
