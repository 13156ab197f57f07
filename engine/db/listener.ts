import type { Connection, ConnectionOptions } from './driver/connection.ts';

/** Receives the notifications of a channel. */
interface Receiver {
  readonly onNotify: (payload: string) => void;
  readonly onListening: () => void;
}

/** Listens to channels, on one connection, which is made again when it is lost. */
export class Listener {
  readonly #connect: (options: Partial<ConnectionOptions>) => Connection;
  readonly #channels = new Map<string, Set<Receiver>>();
  #connection: Connection | undefined;

  /** @param connect makes a connection, after a pause if the last one could not be made. */
  constructor(connect: (options: Partial<ConnectionOptions>) => Connection) {
    this.#connect = connect;
  }

  /**
   * Listens to a channel.
   * @param onListening called once it listens, and again after each lost connection.
   * @returns a function that ends it.
   * @throws the error of the connection, if it cannot be made now.
   */
  async listen(
    channel: string,
    onNotify: Receiver['onNotify'],
    onListening: Receiver['onListening'],
  ): Promise<() => Promise<void>> {
    const receiver = { onNotify, onListening };
    const end = async () => this.#remove(channel, receiver);
    this.#channels.set(channel, (this.#channels.get(channel) ?? new Set()).add(receiver));
    try {
      this.#connection ??= this.#open();
      await listenTo(this.#connection, channel);
    } catch (error) {
      await end();
      throw error;
    }
    onListening();
    return end;
  }

  /** The connection, while it listens and no statement is under way on it. */
  get free(): Connection | undefined {
    return this.#connection?.load === 0 ? this.#connection : undefined;
  }

  /** Ends the connection, which is made again. */
  cut(reason: Error): void {
    this.#connection?.destroy(reason);
  }

  /** Resolves when the connection has ended. */
  async close(): Promise<void> {
    this.#channels.clear();
    const connection = this.#connection;
    connection?.destroy();
    await connection?.closed;
  }

  #open(): Connection {
    return this.#connect({
      onNotify: (channel, payload) => {
        for (const { onNotify } of this.#channels.get(channel) ?? []) onNotify(payload);
      },
      onEnd: () => {
        this.#connection = undefined;
        // Those whose first try has failed are no longer there in a moment.
        setImmediate(() => this.#again());
      },
    });
  }

  #again(): void {
    if (this.#connection !== undefined || this.#channels.size === 0) return;
    const connection = this.#open();
    this.#connection = connection;
    for (const [channel, receivers] of this.#channels) {
      listenTo(connection, channel).then(
        () => {
          for (const { onListening } of receivers) onListening();
        },
        // The end of the connection leads to the next one.
        () => {},
      );
    }
  }

  #remove(channel: string, receiver: Receiver): void {
    const receivers = this.#channels.get(channel);
    receivers?.delete(receiver);
    if (receivers?.size !== 0) return;
    this.#channels.delete(channel);
    if (this.#channels.size === 0) this.#connection?.destroy();
    else this.#connection?.send(statement(`unlisten ${quoted(channel)}`)).catch(() => {});
  }
}

async function listenTo(connection: Connection, channel: string): Promise<void> {
  await connection.send(statement(`listen ${quoted(channel)}`));
}

function statement(text: string) {
  return { text, parameters: [], protocol: 'simple' } as const;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
