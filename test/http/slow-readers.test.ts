import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import {
  disconnectSlowReaders,
  type SlowReaderLimits,
} from '../../engine/http/limits/slow-readers.ts';
import { waitFor } from '../support/wait-for.ts';

/** Larger than what the two ends of a loopback connection buffer. */
const ANSWER = Buffer.alloc(32 * 1024 * 1024, 'a');
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('the watch for slow readers', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** A server that answers everything with 32 MiB in one write, and its watch. */
  async function serving(limits: Partial<SlowReaderLimits>) {
    const server: Server = createServer((_request, response) => response.end(ANSWER));
    const watch = disconnectSlowReaders(server, pino({ level: 'silent' }), {
      checkMs: 10,
      ...limits,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return { watch, port: address.port };
  }

  /** A client that sends a request and reads nothing. */
  async function stalled(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    ends.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(REQUEST);
    return socket;
  }

  it('disconnects a reader that reads nothing, and frees its pending bytes', async () => {
    const { watch, port } = await serving({ stalledMs: 300 });
    await stalled(port);
    await waitFor(() => watch.pendingBytes() > 0, { what: 'bytes that wait for the reader' });
    await waitFor(() => watch.disconnected === 1, { what: 'the end of the connection' });
    expect(watch.pendingBytes()).toBe(0);
  });

  it('disconnects a stalled reader that continues to send bytes of a next request', async () => {
    const { watch, port } = await serving({ stalledMs: 300 });
    const socket = await stalled(port);
    const drip = setInterval(() => socket.write('x'), 20);
    ends.push(() => clearInterval(drip));
    socket.write('GET /next HTTP/1.1\r\nX-Drip: ');
    await waitFor(() => watch.disconnected === 1, { what: 'the end of the connection' });
  });

  it('serves a slow reader completely, although it takes longer than the stall timeout', async () => {
    // Longer than a busy machine lets this process wait for its turn.
    const { watch, port } = await serving({ stalledMs: 2_500 });
    const socket = await stalled(port);
    const began = performance.now();
    let bytes = 0;
    // A megabyte at a time, with a pause after each.
    for await (const chunk of socket) {
      bytes += chunk.length;
      if (bytes >= ANSWER.length) break;
      const pause = bytes % (512 * 1024) < chunk.length ? 60 : 0;
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    expect(bytes).toBeGreaterThanOrEqual(ANSWER.length);
    expect(performance.now() - began).toBeGreaterThan(2_500);
    expect(watch.disconnected).toBe(0);
  });

  it('leaves idle connections open that have no pending bytes', async () => {
    const { watch, port } = await serving({ stalledMs: 50 });
    const idle = connect(port, '127.0.0.1');
    ends.push(() => idle.destroy());
    await once(idle, 'connect');
    await stalled(port);
    await waitFor(() => watch.disconnected === 1, { what: 'the end of the stalled one' });
    expect(idle.destroyed).toBe(false);
  });

  it('limits the pending bytes of all readers, and disconnects the longest idle first', async () => {
    const most = 2 * ANSWER.length;
    const { watch, port } = await serving({ stalledMs: 60_000, pendingBytesMax: most });
    const first = await stalled(port);
    await waitFor(() => watch.pendingBytes() > 0, { what: 'the first answer' });
    const closed = once(first, 'close');
    first.resume();
    first.pause();
    await Promise.all(Array.from({ length: 5 }, () => stalled(port)));
    await waitFor(() => watch.disconnected >= 3, { what: 'the end of those beyond the bound' });
    await waitFor(() => watch.pendingBytes() <= most, { what: 'a bounded total' });
    first.resume();
    await closed;
  });
});
