import type { Logger } from 'pino';
import type { Env } from '../env.ts';
import { untilStopped } from './connect.ts';
import { type ReadMetrics, serveMetrics } from './metrics-server.ts';
import { isPortTaken, portTaken } from './ports.ts';
import type { Teardown } from './teardown.ts';

/** A server that accepts requests. */
interface HttpServer {
  readonly url: string;
  readonly readMetrics: ReadMetrics;
  /** Takes no further connections, and waits at most `drainMs` for those that are open. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

/** How the process around a server is run. */
interface ServerRun {
  /** Its name in the log, such as `the API`. */
  readonly name: string;
  readonly log: Logger;
  /** The parts to end after the server. */
  readonly teardown: Teardown;
  readonly onListening?: () => void;
}

/**
 * Runs a server, and its metrics on a port of their own if `METRICS_PORT` is set, until a signal stops the process.
 * @throws {CommandError} if a port is taken.
 */
export async function runServer(
  env: Env,
  opening: Promise<HttpServer>,
  { name, log, teardown, onListening = () => {} }: ServerRun,
): Promise<void> {
  const server = await opening.catch((error: unknown) => {
    throw isPortTaken(error) ? portTaken('PORT', env.port) : error;
  });
  teardown.add('the server', () => server.stop());
  if (env.metricsPort !== undefined) {
    const metrics = await serveMetrics(env, env.metricsPort, server.readMetrics);
    teardown.add('the metrics', () => metrics.close());
  }
  onListening();
  log.info({ url: server.url }, `${name} is listening`);
  const signal = await untilStopped();
  // After Ctrl-C a person waits; SIGTERM comes from a supervisor that replaces this process.
  await server.stop(signal === 'SIGTERM' ? { drainMs: env.drainSeconds * 1_000 } : {});
  await teardown.run();
  log.info(`${name} has stopped`);
}
