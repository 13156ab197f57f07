import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { TransientSet } from '../../core/transient-set.ts';

/** Time limits of the phases of a stop. */
export interface StopTimes {
  /** Milliseconds of normal operation while `/ready` already reports that the process stops; default 0. */
  readonly drainMs?: number;
  /** Milliseconds that clients have to close their connections; default 6 s, or 0 without a drain. */
  readonly partingMs?: number;
  /** Milliseconds after which running requests are cut: longer than any may take; default 25 s. */
  readonly finishMs?: number;
}

/** Longer than a connection may be idle: the header `Keep-Alive` says 5 s. */
const PARTING_MS = 6_000;
const FINISH_MS = 25_000;

/** Milliseconds between two checks of the remaining connections. */
const POLL_MS = 50;

/**
 * Stops a server without losing a request. A client may send a request on an open connection at any time, so
 * a connection is closed only after a response that announced it.
 */
export class Drain {
  readonly #server: Server;
  readonly #underWay = new TransientSet<ServerResponse>();
  #stopping = false;
  #parting = false;
  #stopped: Promise<void> | undefined;

  /** Attach it before the server takes its first request. */
  constructor(server: Server) {
    this.#server = server;
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      this.#underWay.add(response);
      response.once('close', () => this.#underWay.delete(response));
      if (this.#parting) response.setHeader('connection', 'close');
    });
  }

  /** True once the stop has begun: no new requests should be sent here. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /**
   * Reports that it is not ready, then asks clients to disconnect, then accepts no new connections and
   * waits for running requests. A second call waits for the first one.
   * @param onParting called when clients are asked to disconnect: it must end long-lived responses.
   */
  stop(times: StopTimes, onParting: () => Promise<void>): Promise<void> {
    this.#stopped ??= this.#stop(times, onParting);
    return this.#stopped;
  }

  async #stop(times: StopTimes, onParting: () => Promise<void>): Promise<void> {
    const { drainMs = 0, finishMs = FINISH_MS } = times;
    const partingMs = times.partingMs ?? (drainMs === 0 ? 0 : PARTING_MS);
    this.#stopping = true;
    if (drainMs > 0) await setTimeout(drainMs);
    this.#parting = true;
    for (const response of this.#underWay) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    await onParting();
    await this.#waitFor(partingMs, async () => (await this.#connections()) === 0);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#waitFor(finishMs, async () => {
      // Connections whose last response was sent before it could announce the close.
      this.#server.closeIdleConnections();
      return (await this.#connections()) === 0;
    });
    this.#server.closeAllConnections();
    await closed;
  }

  async #waitFor(milliseconds: number, done: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + milliseconds;
    while (!(await done()) && performance.now() < deadline) await setTimeout(POLL_MS);
  }

  async #connections(): Promise<number> {
    return await new Promise((resolve) => {
      this.#server.getConnections((error, count) => resolve(error ? 0 : count));
    });
  }
}
