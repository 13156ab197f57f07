import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Env } from '../env.ts';
import { isAuthorized } from '../http/bearer.ts';
import { isPortTaken, portTaken } from './ports.ts';

/** Reads all metrics of a process in the format of Prometheus. */
export type ReadMetrics = () => Promise<{ readonly text: string; readonly contentType: string }>;

/** Resolves with `undefined` if the process is well, or with a sentence that says why it is not. */
type Probe = () => Promise<string | undefined>;

/** Answers of a process to an orchestrator's probes. */
export interface Probes {
  /** A process that fails for long should be restarted. Default: it is well if it responds. */
  readonly health?: Probe;
  /** Without it, `/ready` does not exist. */
  readonly ready?: Probe;
}

/**
 * Serves `/metrics`, `/health` and `/ready` on a separate port, which need not be reachable from outside.
 * @throws {CommandError} if the port is taken.
 */
export async function serveMetrics(
  { host, metricsToken }: Pick<Env, 'host' | 'metricsToken'>,
  port: number,
  read: ReadMetrics,
  { health = async () => undefined, ready }: Probes = {},
): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const probe = request.url === '/health' ? health : request.url === '/ready' ? ready : undefined;
    if (probe !== undefined) {
      const reason = await probe();
      response.writeHead(reason === undefined ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: reason === undefined, reason }));
    } else if (request.url !== '/metrics') {
      response.writeHead(404).end();
    } else if (!isAuthorized(request.headers.authorization, metricsToken)) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    } else {
      const { text, contentType } = await read();
      response.writeHead(200, { 'content-type': contentType }).end(text);
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw isPortTaken(error) ? portTaken('METRICS_PORT', port) : error;
  });
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
