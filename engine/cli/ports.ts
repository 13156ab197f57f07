import { once } from 'node:events';
import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import type { Env } from '../env.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** How many ports after the default one `start` tries before it takes any free one. */
const NEIGHBOURS = 100;

/**
 * Checks every port that `start` opens on the operator's behalf, before anything runs. PostgreSQL,
 * anvil and the indexer take free ports of their own.
 * @returns the environment to go on with: if the default `PORT` is taken, it names a free one.
 * @throws {CommandError} if a port that the environment names is taken.
 */
export async function choosePorts(env: Env): Promise<Env> {
  for (const port of metricsPorts(env)) {
    if (!(await isPortFree(env.host, port))) throw portTaken('METRICS_PORT', port);
  }
  if (await isPortFree(env.host, env.port)) return env;
  if (!env.portIsDefault) throw portTaken('PORT', env.port);
  const candidates = portNumbers(env.port + 1, env.port + NEIGHBOURS);
  return { ...env, port: await getPort({ host: env.host, port: candidates }) };
}

/** The metrics ports of `start`: one for each worker, and then the API's. */
export function metricsPorts({ metricsPort, workers }: Env): readonly number[] {
  if (metricsPort === undefined) return [];
  return Array.from({ length: workers + 1 }, (_, index) => metricsPort + index);
}

/** The error for a port that another program listens on. */
export function portTaken(variable: 'PORT' | 'METRICS_PORT', port: number): CommandError {
  return new CommandError(
    `Port ${port} is taken by another program: stop it, or set ${variable} to another port.`,
    exitCodes.portTaken,
  );
}

/** True if an error says that a port is taken. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/**
 * True if a server could listen there now.
 * @throws Error if the host is not one of this machine's.
 */
async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (isPortTaken(error)) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
