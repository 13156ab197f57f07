import { disconnectSlowReaders } from '../http/limits/slow-readers.ts';
import { addressOf, openServer } from '../http/listening.ts';
import { Drain, type StopTimes } from '../http/operations/drain.ts';
import { createGateway, type GatewayDeps } from './app.ts';
import type { GatewayMetrics } from './metrics.ts';

export interface ServeGatewayOptions extends GatewayDeps {
  /** Port to listen on; 0 selects a free one. */
  readonly port: number;
  readonly host: string;
}

/** A running gateway. */
export interface GatewayServer {
  readonly url: string;
  /** Returns the text of all metrics, for a separate port. */
  readonly readMetrics: GatewayMetrics['read'];
  /** Stops gracefully (`Drain`), and closes the connections to the deployments. */
  stop(times?: StopTimes): Promise<void>;
}

/**
 * Serves the gateway over HTTP.
 * @throws Error if the port is in use or the host is not a local address.
 */
export async function serveGateway({
  port,
  host,
  ...deps
}: ServeGatewayOptions): Promise<GatewayServer> {
  let drain: Drain | undefined;
  const { app, metrics } = createGateway({ ...deps, stopping: () => drain?.stopping === true });
  const server = openServer({ fetch: app.fetch, port, hostname: host });
  const own = new Drain(server);
  drain = own;
  disconnectSlowReaders(server, deps.logger);
  const address = await addressOf(server);
  return {
    url: address.url,
    readMetrics: metrics.read,
    stop: async (times = {}) => {
      await own.stop(times, async () => deps.directory.endStreams());
      await deps.directory.close();
    },
  };
}
