import type { StreamData } from '../../contract/shapes/stream.ts';
import type { FeedState } from './feed-state.ts';
import { type Entry, filteredText, idOf, messageText, type StreamFilter } from './message.ts';
import type { Ring } from './ring.ts';
import type { StreamSettings } from './settings.ts';

/** Source that all readers of a process share: each property is the current one. */
export interface Feed extends Omit<FeedState, 'oldest'> {
  readonly settings: StreamSettings;
  /**
   * Some of the changes after a sequence number, oldest first, for a reader that is behind the ring.
   * @returns `undefined` if they are no longer stored.
   */
  page(after: number): Promise<readonly Entry[] | undefined>;
}

type EndReason = StreamData<'end'>['reason'];
type ResetReason = StreamData<'reset'>['reason'];

export interface ReaderOptions {
  readonly filter: StreamFilter;
  /** Sequence number up to which the reader has everything; the newest for a new reader. */
  readonly position: number;
  /** True if the reader asked to resume from an id. */
  readonly resumes: boolean;
  /** Reason why it cannot resume, so that it starts at the newest change; `undefined` if it can. */
  readonly reset: ResetReason | undefined;
  /** Called once when the stream ends for any reason. */
  readonly onClose: () => void;
}

/** Approximate characters of one chunk. */
const CHUNK_CHARACTERS = 65_536;

/**
 * One stream. It stores only its position in the shared messages, so a reader that does not read costs nothing
 * and eventually falls behind the ring.
 */
export class StreamReader {
  readonly #feed: Feed;
  readonly #options: ReaderOptions;
  readonly #timer: NodeJS.Timeout;
  /** Epoch of the ledger that its position belongs to. */
  #epoch: string;
  #position: number;
  #generation: number;
  #headVersion: number;
  #waiting: string[] = [];
  /** True if it reads messages from the ring; false while it pages up to it. */
  #live = false;
  #ending: EndReason | undefined;
  #closed = false;
  #parting: NodeJS.Timeout | undefined;
  #onStalled: () => void = () => {};
  #wake: () => void = () => {};
  #woken = false;

  constructor(feed: Feed, options: ReaderOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#position = options.position;
    this.#epoch = feed.epoch;
    this.#generation = feed.generation;
    // A resuming reader gets the heads again after all changes up to them.
    this.#headVersion = options.resumes ? -1 : feed.headVersion;
    const { durationMs } = feed.settings;
    const lasts = durationMs * (0.9 + 0.1 * Math.random());
    this.#timer = setTimeout(() => this.end('TIME'), lasts);
    this.#timer.unref();
    this.#greet();
  }

  /** True if the reader was live and has fallen behind the ring. */
  get isSlow(): boolean {
    return this.#live && this.#position < this.#feed.ring.floor;
  }

  /** Signals that there may be a new message. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /**
   * Sends the reason and the id to resume from, and closes. Only the first reason is used.
   * @returns true if this call was the first.
   */
  end(reason: EndReason): boolean {
    if (this.#closed || this.#ending !== undefined) return false;
    this.#ending = reason;
    this.#parting = setTimeout(() => {
      this.close();
      this.#onStalled();
    }, this.#feed.settings.partingMs);
    this.#parting.unref();
    this.wake();
    return true;
  }

  /** Sets what to do if the reader does not read its last message. */
  whenStalled(onStalled: () => void): void {
    this.#onStalled = onStalled;
  }

  /** Releases everything without another message. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#parting);
    this.#options.onClose();
    this.wake();
  }

  /** Waits for the next text to send; `null` after the end. */
  async next(): Promise<string | null> {
    while (!this.#closed) {
      if (this.#ending !== undefined) return this.#farewell(this.#ending);
      const from = this.#position;
      const text = this.#waiting.shift() ?? (await this.#take());
      if (text !== '') return text;
      // The filter excluded all messages that it passed.
      if (this.#position !== from) continue;
      if (!(await this.#wait())) return ':\n\n';
    }
    return null;
  }

  async #take(): Promise<string> {
    const { generation, ring, headVersion } = this.#feed;
    if (generation !== this.#generation) return this.#restart('UNKNOWN');
    if (this.#position < ring.floor) return this.#live ? '' : await this.#takePage();
    this.#live = true;
    const text = this.#takeFromRing(ring);
    if (text !== '' || this.#position < ring.newest || headVersion === this.#headVersion) {
      return text;
    }
    this.#headVersion = headVersion;
    return this.#message('head', { sequence: this.#position, heads: this.#feed.heads });
  }

  #takeFromRing(ring: Ring): string {
    let text = '';
    while (text.length < CHUNK_CHARACTERS) {
      const entry = ring.at(this.#position + 1);
      if (entry === undefined) break;
      this.#position += 1;
      text += filteredText(this.#epoch, entry, this.#options.filter);
    }
    return text;
  }

  async #takePage(): Promise<string> {
    const { generation } = this.#feed;
    const entries = await this.#feed.page(this.#position);
    if (this.#closed || generation !== this.#feed.generation) return '';
    if (entries === undefined) return this.#restart('TOO_OLD');
    this.#position = entries.at(-1)?.change.sequence ?? this.#position;
    return entries.map((entry) => filteredText(this.#epoch, entry, this.#options.filter)).join('');
  }

  #restart(reason: ResetReason): string {
    const { epoch, generation, ring } = this.#feed;
    this.#epoch = epoch;
    this.#generation = generation;
    this.#position = ring.newest;
    return this.#message('reset', { sequence: this.#position, reason });
  }

  #greet(): void {
    const { resumes, reset } = this.#options;
    const sequence = this.#position;
    const resumed = resumes && reset === undefined;
    this.#waiting.push(this.#message('hello', { sequence, resumed, heads: this.#feed.heads }));
    if (reset !== undefined)
      this.#waiting.push(this.#message('reset', { sequence, reason: reset }));
  }

  #farewell(reason: EndReason): string {
    const sequence = this.#position;
    const resumeFrom = idOf(this.#epoch, sequence);
    const text = this.#message('end', { sequence, reason, resumeFrom });
    this.close();
    return text;
  }

  #message<N extends 'hello' | 'head' | 'reset' | 'end'>(event: N, data: StreamData<N>): string {
    return messageText(event, idOf(this.#epoch, data.sequence), data);
  }

  /** Waits for a signal. @returns false if a heartbeat is due instead. */
  async #wait(): Promise<boolean> {
    if (this.#woken) {
      this.#woken = false;
      return true;
    }
    return await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#feed.settings.heartbeatMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        this.#woken = false;
        resolve(true);
      };
    });
  }
}
