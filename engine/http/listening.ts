import { once } from 'node:events';
import { Server } from 'node:http';
import { serve } from '@hono/node-server';

/** Milliseconds that a client may take to send its headers, and all of its request. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

/** An application to serve, and its address. */
export interface ListenOptions {
  readonly fetch: Parameters<typeof serve>[0]['fetch'];
  readonly port: number;
  readonly hostname: string;
}

/** Begins to listen, with limits on the time of requests. {@link addressOf} waits until it does. */
export function openServer(options: ListenOptions): Server {
  const serverOptions = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS };
  const server = serve({ ...options, serverOptions });
  if (!(server instanceof Server)) throw new Error('the server is not one of HTTP/1.1');
  return server;
}

/**
 * Waits until a server listens.
 * @throws Error if the port is in use or the host is not a local address.
 */
export async function addressOf(server: Server): Promise<{ url: string; port: number }> {
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, port: address.port };
}
