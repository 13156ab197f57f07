import { once } from 'node:events';
import { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createApi } from './app.ts';
import type { AppDeps } from './deps.ts';
import { Drain, type StopTimes } from './drain.ts';
import type { Metrics } from './metrics.ts';
import {
  disconnectSlowReaders,
  type SlowReaderLimits,
  type SlowReaderWatch,
} from './slow-readers.ts';
import { StreamHub } from './stream/hub.ts';

export interface ServeOptions extends AppDeps {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** Limits on answers that their readers do not take; default those of `slow-readers.ts`. */
  readonly slowReaders?: Partial<SlowReaderLimits>;
}

/** A running server. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** The text of all metrics, for a port of their own. */
  readonly readMetrics: Metrics['read'];
  /** Bytes that wait for readers, and how many were disconnected. */
  readonly readers: SlowReaderWatch;
  /** Stops in order (`Drain`): by default without a drain, but with an end for requests under way. */
  stop(times?: StopTimes): Promise<void>;
}

/** Milliseconds that a client may take to send its headers, and all of its request. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

/**
 * Serves the app over HTTP.
 * @throws Error where the port is taken or the host is not ours.
 */
export async function serveApi({
  port,
  host,
  slowReaders,
  ...deps
}: ServeOptions): Promise<ApiServer> {
  const serverOptions = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS };
  const stream = deps.stream ?? new StreamHub(deps);
  let drain: Drain | undefined;
  const stopping = () => drain?.stopping === true;
  const { app, metrics } = createApi({ ...deps, stream, stopping });
  const server = serve({ fetch: app.fetch, port, hostname: host, serverOptions });
  if (!(server instanceof Server)) throw new Error('the server is not one of HTTP/1.1');
  const own = new Drain(server);
  drain = own;
  const readers = disconnectSlowReaders(server, deps.logger, slowReaders);
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    port: address.port,
    readers,
    readMetrics: metrics.read,
    stop: (times = {}) => own.stop(times, () => stream.close()),
  };
}
