import { createApi } from './app.ts';
import type { AppDeps } from './deps.ts';
import {
  disconnectSlowReaders,
  type SlowReaderLimits,
  type SlowReaderWatch,
} from './limits/slow-readers.ts';
import { addressOf, openServer } from './listening.ts';
import { Drain, type StopTimes } from './operations/drain.ts';
import type { Metrics } from './operations/metrics.ts';
import { StreamHub } from './stream/hub.ts';

export interface ServeOptions extends AppDeps {
  /** Port to listen on; 0 selects a free one. */
  readonly port: number;
  readonly host: string;
  /** Limits on responses that clients do not read; by default those of `slow-readers.ts`. */
  readonly slowReaders?: Partial<SlowReaderLimits>;
}

/** A running server. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** Returns the text of all metrics, for a separate port. */
  readonly readMetrics: Metrics['read'];
  /** Bytes that wait for slow readers, and the number of disconnected readers. */
  readonly readers: SlowReaderWatch;
  /** Stops gracefully (`Drain`). By default it does not drain, but limits the time of running requests. */
  stop(times?: StopTimes): Promise<void>;
}

/**
 * Serves the app over HTTP.
 * @throws Error if the port is in use or the host is not a local address.
 */
export async function serveApi({
  port,
  host,
  slowReaders,
  ...deps
}: ServeOptions): Promise<ApiServer> {
  const stream = deps.stream ?? new StreamHub(deps);
  let drain: Drain | undefined;
  const stopping = () => drain?.stopping === true;
  const { app, metrics, usage } = createApi({ ...deps, stream, stopping });
  const server = openServer({ fetch: app.fetch, port, hostname: host });
  const own = new Drain(server);
  drain = own;
  const readers = disconnectSlowReaders(server, deps.logger, slowReaders);
  const address = await addressOf(server);
  return {
    ...address,
    readers,
    readMetrics: metrics.read,
    stop: async (times = {}) => {
      await own.stop(times, () => stream.close());
      await usage.flush();
    },
  };
}
