import type { Logger } from 'pino';
import type { Pool } from '../../db/connection.ts';
import { CHANGES_CHANNEL, listen } from '../../db/notify.ts';
import { NotSettledError } from '../../db/read/snapshot.ts';
import { type ChangePageSize, readChanges } from '../../db/read/system/changes.ts';
import { Connections, type StreamSlot } from './connections.ts';
import { type FeedState, nextFeedState } from './feed-state.ts';
import { readId, type StreamFilter, streamHeads } from './message.ts';
import { OlderChanges } from './older-changes.ts';
import { type Feed, StreamReader } from './reader.ts';
import { STREAM_SETTINGS, type StreamSettings } from './settings.ts';

export interface HubOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly settings?: Partial<StreamSettings> | undefined;
}

/** Request to open a stream. */
export interface StreamRequest {
  readonly filter: StreamFilter;
  readonly lastEventId: string | undefined;
  /** IP address of the reader. */
  readonly address: string;
}

/** Page size for reading the newest changes, which all readers share. */
const NEWEST_PAGE: ChangePageSize = { changes: 256, events: 2_000 };

/**
 * Streams of one process. All of them share one LISTEN and one read of the database at a time. The hub opens no
 * connection before the first reader, and reads nothing without readers.
 */
export class StreamHub {
  readonly settings: StreamSettings;
  readonly #options: HubOptions;
  readonly #readers = new Set<StreamReader>();
  readonly #connections: Connections;
  readonly #older: OlderChanges;
  #state: FeedState | undefined;
  #listening: Promise<() => Promise<void>> | undefined;
  #reading: Promise<void> | undefined;
  #signalled = false;
  #closed = false;
  #poll: NodeJS.Timeout | undefined;
  #cut = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.settings = { ...STREAM_SETTINGS, ...options.settings };
    this.#connections = new Connections(this.settings);
    this.#older = new OlderChanges(options);
  }

  /** Number of open streams. */
  get readerCount(): number {
    return this.#connections.count;
  }

  /** Number of readers that were cut because they were too slow. */
  get cutCount(): number {
    return this.#cut;
  }

  /**
   * Opens a stream. A caller that does not read it to its end must close it.
   * @throws {HttpError} RATE_LIMITED if the maximum is open, in total or from that address.
   * @throws {NotSettledError} if no block is settled yet, or the service is stopping.
   */
  async open({ filter, lastEventId, address }: StreamRequest): Promise<StreamReader> {
    this.#requireOpen();
    const slot = this.#connections.take(address);
    try {
      const requested = lastEventId === undefined ? undefined : readId(lastEventId);
      const state = await this.#current(requested?.sequence ?? 0);
      this.#requireOpen();
      const { epoch, ring, oldest } = state;
      const known = requested?.epoch === epoch && requested.sequence <= ring.newest;
      const isRetained =
        known && requested.sequence >= Math.min(ring.floor, (oldest ?? Infinity) - 1);
      const reader: StreamReader = new StreamReader(this.#feed(), {
        filter,
        position: isRetained ? requested.sequence : ring.newest,
        resumes: lastEventId !== undefined,
        reset: lastEventId === undefined || isRetained ? undefined : known ? 'TOO_OLD' : 'UNKNOWN',
        onClose: () => {
          this.#readers.delete(reader);
          this.#free(slot);
        },
      });
      this.#readers.add(reader);
      // The reader reconnects and resumes at its position.
      slot.whenNeeded(() => reader.end('TIME'));
      this.#poll ??= setInterval(() => this.#onSignal(), this.settings.pollMs).unref();
      return reader;
    } catch (error) {
      this.#free(slot);
      throw error;
    }
  }

  /** Ends every stream and stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const reader of this.#readers) reader.end('SHUTDOWN');
    clearInterval(this.#poll);
    const unlisten = await this.#listening?.catch(() => undefined);
    await unlisten?.().catch(() => {});
  }

  #requireOpen(): void {
    if (this.#closed) throw new NotSettledError('The service is stopping: try again.');
  }

  /** Current feed state, read again if it has not reached that sequence number. */
  async #current(atLeast: number): Promise<FeedState> {
    this.#listening ??= this.#listen();
    await this.#listening;
    const isOld = () => this.#state === undefined || this.#state.ring.newest < atLeast;
    // A read that is already running may have begun too early.
    for (let tries = 0; tries < 2 && isOld(); tries += 1) await this.#refresh();
    if (this.#state !== undefined) return this.#state;
    throw new NotSettledError('Settlement has not processed its first block yet.');
  }

  async #listen(): Promise<() => Promise<void>> {
    const onSignal = () => this.#onSignal();
    try {
      return await listen(this.#options.pool, CHANGES_CHANNEL, onSignal, onSignal);
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /** Reads new changes if there are readers. A signal during a read causes another read afterwards. */
  #onSignal(): void {
    if (this.#closed || this.#connections.count === 0) return;
    this.#signalled = this.#reading !== undefined;
    if (this.#signalled) return;
    this.#refresh().catch((error: unknown) => {
      this.#options.logger.warn({ err: error }, 'the stream could not read the changes');
    });
  }

  async #refresh(): Promise<void> {
    this.#reading ??= this.#readAll();
    await this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      do this.#signalled = false;
      while ((await this.#readSome()) || this.#signalled);
    } finally {
      // Immediately, because a signal from now on must start a new read.
      this.#reading = undefined;
    }
  }

  /** Reads one page of changes. @returns true if there are more. */
  async #readSome(): Promise<boolean> {
    const before = this.#state;
    const after = before?.ring.newest ?? null;
    const page = await readChanges(this.#options.pool, after, NEWEST_PAGE);
    const heads = page && streamHeads(page.head.heads);
    if (page === undefined || heads === undefined) return false;
    if (this.#connections.count === 0 || this.#closed) return false;
    const state = nextFeedState(before, page, heads, this.settings);
    this.#state = state;
    for (const reader of this.#readers) {
      if (reader.isSlow && reader.end('SLOW')) this.#cut += 1;
      reader.wake();
    }
    return state.ring.newest < page.head.sequence;
  }

  /** Frees a slot. After the last one, the feed state is dropped; the next reader reads it again. */
  #free(slot: StreamSlot): void {
    slot.release();
    if (this.#connections.count > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#state = undefined;
  }

  #feed(): Feed {
    const current = () => {
      if (this.#state === undefined) throw new Error('a stream was read before the feed state');
      return this.#state;
    };
    return {
      settings: this.settings,
      get epoch() {
        return current().epoch;
      },
      get generation() {
        return current().generation;
      },
      get ring() {
        return current().ring;
      },
      get heads() {
        return current().heads;
      },
      get headVersion() {
        return current().headVersion;
      },
      page: (after) => this.#older.read(after),
    };
  }
}
