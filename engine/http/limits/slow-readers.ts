import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** Limits on responses that clients do not read. Tests use smaller ones. */
export interface SlowReaderLimits {
  /** Milliseconds without progress, while bytes wait, after which a reader is disconnected. */
  readonly stalledMs: number;
  /** Bytes that may wait for all readers of the process together. */
  readonly pendingBytesMax: number;
  /** Milliseconds between two checks. */
  readonly checkMs: number;
}

const DEFAULT_LIMITS: SlowReaderLimits = {
  stalledMs: 20_000,
  pendingBytesMax: 256 * 1024 * 1024,
  checkMs: 250,
};

/** Server whose connections are watched, such as `http.Server`. */
export interface WatchedServer {
  on(event: 'connection', listener: (socket: Socket) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** State of the watch over slow readers. */
export interface SlowReaderWatch {
  /** Bytes that wait for readers now. */
  pendingBytes(): number;
  /** Connections that were closed since the start. */
  readonly disconnected: number;
}

interface Progress {
  /** Bytes that the reader's system has taken so far. */
  bytes: number;
  /** Unix milliseconds of the last byte taken, or of the last check without a byte waiting. */
  since: number;
}

/**
 * Disconnects clients that stop reading any kind of response. A response waits in memory until its client
 * reads it, so a client that never reads would hold that memory indefinitely. Node's socket timeout is
 * not enough: every byte that a client sends, and every heartbeat of a stream, restarts it.
 *
 * If more than `pendingBytesMax` wait in total, the clients that have been idle the longest go first.
 */
export function disconnectSlowReaders(
  server: WatchedServer,
  logger: Pick<Logger, 'info'>,
  limits: Partial<SlowReaderLimits> = {},
): SlowReaderWatch {
  const { stalledMs, pendingBytesMax, checkMs } = { ...DEFAULT_LIMITS, ...limits };
  const sockets = new Map<Socket, Progress>();
  let disconnected = 0;
  server.on('connection', (socket) => {
    sockets.set(socket, { bytes: 0, since: Date.now() });
    socket.once('close', () => sockets.delete(socket));
  });
  const disconnect = (socket: Socket, why: string) => {
    disconnected += 1;
    sockets.delete(socket);
    logger.info({ why, pendingBytes: socket.writableLength }, 'a reader was disconnected');
    socket.destroy();
  };
  const check = () => {
    const now = Date.now();
    for (const [socket, progress] of sockets) {
      const bytes = flushedBytes(socket);
      if (socket.writableLength === 0 || bytes !== progress.bytes) {
        progress.bytes = bytes;
        progress.since = now;
      } else if (now - progress.since >= stalledMs) {
        disconnect(socket, 'no progress');
      }
    }
    let pending = pendingOf(sockets.keys());
    if (pending <= pendingBytesMax) return;
    const idlest = [...sockets].sort(([, a], [, b]) => a.since - b.since);
    for (const [socket] of idlest) {
      if (pending <= pendingBytesMax) return;
      pending -= socket.writableLength;
      if (socket.writableLength > 0) disconnect(socket, 'too many pending bytes');
    }
  };
  const timer = setInterval(check, checkMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
  return {
    pendingBytes: () => pendingOf(sockets.keys()),
    get disconnected() {
      return disconnected;
    },
  };
}

function pendingOf(sockets: Iterable<Socket>): number {
  let bytes = 0;
  for (const socket of sockets) bytes += socket.writableLength;
  return bytes;
}

/**
 * Bytes that the operating system has taken from a socket. A response may be a single write, which counts as
 * waiting until its last byte is gone. Only the socket's handle knows how much of it is left; Node's own
 * timeout reads it from there too.
 */
function flushedBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0;
  const completed = socket.bytesWritten - socket.writableLength;
  return completed - (typeof queued === 'number' ? queued : 0);
}
