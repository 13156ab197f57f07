import type { Logger } from 'pino';
import type { Pool } from '../../db/connection.ts';
import { CHANGES_CHANNEL, listen } from '../../db/notify.ts';
import { type ChangePageSize, readChanges } from '../../db/read/changes.ts';
import { NotSettledError } from '../../db/read/snapshot.ts';
import { Connections, type Place } from './connections.ts';
import { readId, type StreamFilter, streamHeads } from './message.ts';
import { OlderChanges } from './older-changes.ts';
import { type Feed, StreamReader } from './reader.ts';
import { STREAM_SETTINGS, type StreamSettings } from './settings.ts';
import { type Standing, standingAfter } from './standing.ts';

export interface HubOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly settings?: Partial<StreamSettings> | undefined;
}

/** Who wants to read, and what. */
export interface StreamRequest {
  readonly filter: StreamFilter;
  readonly lastEventId: string | undefined;
  /** IP address of the reader. */
  readonly address: string;
}

/** Of the changes that all readers share. */
const NEWEST_PAGE: ChangePageSize = { changes: 256, events: 2_000 };

/**
 * The readers of one process, and what they read: one LISTEN and one reading of the database at a
 * time for all of them. It opens nothing before the first reader comes, and reads nothing without one.
 */
export class StreamHub {
  readonly settings: StreamSettings;
  readonly #options: HubOptions;
  readonly #readers = new Set<StreamReader>();
  readonly #connections: Connections;
  readonly #older: OlderChanges;
  #standing: Standing | undefined;
  #listening: Promise<() => Promise<void>> | undefined;
  #reading: Promise<void> | undefined;
  #rung = false;
  #closed = false;
  #poll: NodeJS.Timeout | undefined;
  #cut = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.settings = { ...STREAM_SETTINGS, ...options.settings };
    this.#connections = new Connections(this.settings);
    this.#older = new OlderChanges(options);
  }

  /** Streams that are open. */
  get readerCount(): number {
    return this.#connections.count;
  }

  /** Readers that were cut because they were too slow. */
  get cutCount(): number {
    return this.#cut;
  }

  /**
   * Takes a reader in. Whoever does not read it to its end closes it.
   * @throws {TooManyAtOnceError} where as many read as may, in all or from that address.
   * @throws {NotSettledError} where there is no settled block yet, or the service stops.
   */
  async open({ filter, lastEventId, address }: StreamRequest): Promise<StreamReader> {
    this.#requireOpen();
    const place = this.#connections.take(address);
    try {
      const asked = lastEventId === undefined ? undefined : readId(lastEventId);
      const standing = await this.#current(asked?.sequence ?? 0);
      this.#requireOpen();
      const { epoch, ring, oldest } = standing;
      const known = asked?.epoch === epoch && asked.sequence <= ring.newest;
      const kept = known && asked.sequence >= Math.min(ring.floor, (oldest ?? Infinity) - 1);
      const reader: StreamReader = new StreamReader(this.#feed(), {
        filter,
        position: kept ? asked.sequence : ring.newest,
        resumes: lastEventId !== undefined,
        reset: lastEventId === undefined || kept ? undefined : known ? 'TOO_OLD' : 'UNKNOWN',
        onClose: () => {
          this.#readers.delete(reader);
          this.#letGo(place);
        },
      });
      this.#readers.add(reader);
      // Its reader comes again, and goes on where it was.
      place.whenNeeded(() => reader.end('TIME'));
      this.#poll ??= setInterval(() => this.#look(), this.settings.pollMs).unref();
      return reader;
    } catch (error) {
      this.#letGo(place);
      throw error;
    }
  }

  /** Ends every stream, and listens no more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const reader of this.#readers) reader.end('SHUTDOWN');
    clearInterval(this.#poll);
    const unlisten = await this.#listening?.catch(() => undefined);
    await unlisten?.().catch(() => {});
  }

  #requireOpen(): void {
    if (this.#closed) throw new NotSettledError('The service stops just now: try again.');
  }

  /** What stands now, at least up to a number where there is one by now. */
  async #current(atLeast: number): Promise<Standing> {
    this.#listening ??= this.#listen();
    await this.#listening;
    const isOld = () => this.#standing === undefined || this.#standing.ring.newest < atLeast;
    // A reading that is under way may have begun too early.
    for (let tries = 0; tries < 2 && isOld(); tries += 1) await this.#refresh();
    if (this.#standing !== undefined) return this.#standing;
    throw new NotSettledError('Settlement has not come to its first block yet.');
  }

  async #listen(): Promise<() => Promise<void>> {
    const look = () => this.#look();
    try {
      return await listen(this.#options.pool, CHANGES_CHANNEL, look, look);
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /** Reads what is new, where somebody reads; what rings meanwhile is looked at afterwards. */
  #look(): void {
    if (this.#closed || this.#connections.count === 0) return;
    this.#rung = this.#reading !== undefined;
    if (this.#rung) return;
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
      do this.#rung = false;
      while ((await this.#readSome()) || this.#rung);
    } finally {
      // At once: what rings from now on is nobody's to see any more.
      this.#reading = undefined;
    }
  }

  /** @returns whether there is more by now. */
  async #readSome(): Promise<boolean> {
    const before = this.#standing;
    const after = before?.ring.newest ?? null;
    const page = await readChanges(this.#options.pool, after, NEWEST_PAGE);
    const heads = page && streamHeads(page.head.heads);
    if (page === undefined || heads === undefined) return false;
    if (this.#connections.count === 0 || this.#closed) return false;
    const standing = standingAfter(before, page, heads, this.settings);
    this.#standing = standing;
    for (const reader of this.#readers) {
      if (reader.isSlow && reader.end('SLOW')) this.#cut += 1;
      reader.wake();
    }
    return standing.ring.newest < page.head.sequence;
  }

  /** Forgets what stands: it is read anew for the next reader. */
  #letGo(place: Place): void {
    place.release();
    if (this.#connections.count > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#standing = undefined;
  }

  #feed(): Feed {
    const standing = () => {
      if (this.#standing === undefined) throw new Error('a stream is read before anything stands');
      return this.#standing;
    };
    return {
      settings: this.settings,
      get epoch() {
        return standing().epoch;
      },
      get generation() {
        return standing().generation;
      },
      get ring() {
        return standing().ring;
      },
      get heads() {
        return standing().heads;
      },
      get headVersion() {
        return standing().headVersion;
      },
      page: (after) => this.#older.read(after),
    };
  }
}
