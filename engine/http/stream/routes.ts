import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { streamMethod } from '../../contract/stream.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { methodNotAllowed } from '../errors.ts';
import { lowerAddress } from '../input/address.ts';
import { decodeInput } from '../input/decode.ts';
import { networkAddress } from '../network-address.ts';
import { applied } from '../response-headers.ts';
import type { StreamHub } from './hub.ts';
import type { StreamReader } from './reader.ts';

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that buffer a response would delay messages.
  'x-accel-buffering': 'no',
};

/** Part of a Node server's request that can close the connection. */
const NodeEnv = z.object({
  outgoing: z.custom<{ destroy(): void }>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'destroy' in value &&
      typeof value.destroy === 'function',
  ),
});

/** `GET /v1/stream`: settled changes as server-sent events (docs/reference/api.md#live). */
export function streamRoutes(deps: AppDeps, hub: StreamHub): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get(streamMethod.path, applied, async (c) => {
    c.set('methodName', streamMethod.name);
    const address = networkAddress(c, deps.trustedProxies);
    await deps.limits.take('address', address);
    const query = new URL(c.req.url).searchParams;
    const { campaignId, account, lastEventId } = decodeInput(streamMethod, { params: {}, query });
    // Hono runs the GET handler for HEAD, which gets only the headers.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const reader = await hub.open({
      filter: {
        campaigns: campaignId && new Set(campaignId),
        accounts: account && new Set(account.map(lowerAddress)),
      },
      lastEventId: c.req.header('last-event-id') ?? lastEventId,
      address,
    });
    return c.body(bodyOf(reader, c), 200, headers);
  });
  app.all(streamMethod.path, async (c) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    throw methodNotAllowed(['GET', 'HEAD']);
  });
  return app;
}

/** Body that produces one message at a time, so that unread messages are not buffered. */
function bodyOf(reader: StreamReader, c: Context<AppEnv>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const node = NodeEnv.safeParse(c.env);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        reader.whenStalled(() => {
          if (node.success) node.data.outgoing.destroy();
          else controller.error(new Error('The reader stopped reading.'));
        });
      },
      async pull(controller) {
        const text = await reader.next();
        if (text === null) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel() {
        reader.close();
      },
    },
    { highWaterMark: 0 },
  );
}
