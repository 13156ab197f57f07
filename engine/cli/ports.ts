import { once } from 'node:events';
import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import type { Env } from '../env.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** Number of ports after the default one that `start` tries before it takes any free port. */
const NEIGHBOURS = 100;

/**
 * Checks the configured ports before anything runs. PostgreSQL, anvil and the indexer take free ports.
 * @returns the environment; if the default `PORT` is in use, with a free port.
 * @throws {CommandError} if a configured port is in use.
 */
export async function choosePorts(env: Env): Promise<Env> {
  for (const port of metricsPorts(env)) {
    if (!(await isPortFree(env.host, port, 'METRICS_PORT'))) {
      throw portTaken('METRICS_PORT', port);
    }
  }
  if (await isPortFree(env.host, env.port, 'PORT')) return env;
  if (!env.portIsDefault) throw portTaken('PORT', env.port);
  const candidates = portNumbers(env.port + 1, env.port + NEIGHBOURS);
  return { ...env, port: await getPort({ host: env.host, port: candidates }) };
}

/** The metrics ports of `start`: one per worker, then one for the API. */
export function metricsPorts({ metricsPort, workers }: Env): readonly number[] {
  if (metricsPort === undefined) return [];
  return Array.from({ length: workers + 1 }, (_, index) => metricsPort + index);
}

/** Error for a port that another program uses. */
export function portTaken(variable: 'PORT' | 'METRICS_PORT', port: number): CommandError {
  return new CommandError(
    `Port ${port} is in use by another program: stop it, or set ${variable} to another port.`,
    exitCodes.portTaken,
  );
}

/** True if an error means that a port is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Names of the ports that a program listens on, apart from `start`, which chooses them. */
const listenedTo = {
  api: ['PORT', 'METRICS_PORT'],
  gateway: ['PORT', 'METRICS_PORT'],
  indexer: ['METRICS_PORT'],
  worker: ['METRICS_PORT'],
} as const;

/** A sentence for each port of a program on which it cannot listen. */
export async function portFindings(
  program: keyof typeof listenedTo,
  { host, port, metricsPort }: Pick<Env, 'host' | 'port' | 'metricsPort'>,
): Promise<{ readonly sentence: string; readonly exitCode: number }[]> {
  const ports = { PORT: port, METRICS_PORT: metricsPort };
  const errors = await Promise.all(
    listenedTo[program].map(async (variable) => {
      const number = ports[variable];
      if (number === undefined || (await isPortFree(host, number, variable))) return undefined;
      return portTaken(variable, number);
    }),
  ).catch((error: unknown) => {
    if (error instanceof CommandError) return [error];
    throw error;
  });
  return errors.flatMap((error) =>
    error === undefined ? [] : [{ sentence: error.message, exitCode: error.exitCode }],
  );
}

/**
 * True if a server can listen on a port.
 * @throws {CommandError} if it cannot for another reason than another program: it names the variable.
 */
async function isPortFree(
  host: string,
  port: number,
  variable: 'PORT' | 'METRICS_PORT',
): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (isPortTaken(error)) return false;
    throw cannotListen(error, host, port, variable);
  }
  server.close();
  await once(server, 'close');
  return true;
}

function cannotListen(
  error: unknown,
  host: string,
  port: number,
  variable: 'PORT' | 'METRICS_PORT',
): CommandError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'EACCES') {
    return new CommandError(
      `Port ${port} may not be used by this account: set ${variable} to one above 1023.`,
    );
  }
  return new CommandError(`HOST: ${host} is not an address of this machine (${code}).`);
}
