import type { StreamData } from '../../contract/shapes/stream.ts';
import { type Entry, filteredText, idOf, messageText, type StreamFilter } from './message.ts';
import type { Ring } from './ring.ts';
import type { StreamSettings } from './settings.ts';
import type { Standing } from './standing.ts';

/** What all readers of a process read from: what stands now, whenever it is asked. */
export interface Feed extends Omit<Standing, 'oldest'> {
  readonly settings: StreamSettings;
  /**
   * The changes after a number, oldest first, some of them, for a reader that is behind the ring.
   * @returns `undefined` where they are not kept any more.
   */
  page(after: number): Promise<readonly Entry[] | undefined>;
}

type EndReason = StreamData<'end'>['reason'];
type ResetReason = StreamData<'reset'>['reason'];

export interface ReaderOptions {
  readonly filter: StreamFilter;
  /** Everything up to it was told before; the newest, where the reader begins. */
  readonly position: number;
  /** Whether the reader asked to go on from an id. */
  readonly resumes: boolean;
  /** Why it cannot, where it cannot: it begins at the newest. */
  readonly reset: ResetReason | undefined;
  /** Called once, however it ends. */
  readonly onClose: () => void;
}

/** Characters that are handed over at once, about. */
const CHUNK_CHARACTERS = 65_536;

/**
 * One stream. It holds its place among the messages that all share and none of them itself, so a
 * reader that does not take them costs nothing, and falls behind the ring in the end.
 */
export class StreamReader {
  readonly #feed: Feed;
  readonly #options: ReaderOptions;
  readonly #timer: NodeJS.Timeout;
  /** Of the ledger that its place is in. */
  #epoch: string;
  #position: number;
  #generation: number;
  #headVersion: number;
  #waiting: string[] = [];
  /** Whether it takes messages from the ring; else it pages up to it. */
  #live = false;
  #ending: EndReason | undefined;
  #closed = false;
  #parting: NodeJS.Timeout | undefined;
  #onStuck: () => void = () => {};
  #wake: () => void = () => {};
  #woken = false;

  constructor(feed: Feed, options: ReaderOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#position = options.position;
    this.#epoch = feed.epoch;
    this.#generation = feed.generation;
    // Who resumes is told the heads again, once it has all that came up to them.
    this.#headVersion = options.resumes ? -1 : feed.headVersion;
    const { durationMs } = feed.settings;
    const lasts = durationMs * (0.9 + 0.1 * Math.random());
    this.#timer = setTimeout(() => this.end('TIME'), lasts);
    this.#timer.unref();
    this.#greet();
  }

  /** Whether it was live and has fallen behind what the ring holds. */
  get isSlow(): boolean {
    return this.#live && this.#position < this.#feed.ring.floor;
  }

  /** There may be something to tell. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /**
   * Tells why, and the id to resume from, and closes. The first reason holds.
   * @returns whether it was this one.
   */
  end(reason: EndReason): boolean {
    if (this.#closed || this.#ending !== undefined) return false;
    this.#ending = reason;
    this.#parting = setTimeout(() => {
      this.close();
      this.#onStuck();
    }, this.#feed.settings.partingMs);
    this.#parting.unref();
    this.wake();
    return true;
  }

  /** What to do where the reader does not even take its last message. */
  whenStuck(onStuck: () => void): void {
    this.#onStuck = onStuck;
  }

  /** Lets go of everything, whatever was told. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#parting);
    this.#options.onClose();
    this.wake();
  }

  /** What to send next, once there is something; `null` after the end. */
  async next(): Promise<string | null> {
    while (!this.#closed) {
      if (this.#ending !== undefined) return this.#farewell(this.#ending);
      const from = this.#position;
      const text = this.#waiting.shift() ?? (await this.#take());
      if (text !== '') return text;
      // What it passed over was nothing to this reader.
      if (this.#position !== from) continue;
      if (!(await this.#wait())) return ':\n\n';
    }
    return null;
  }

  async #take(): Promise<string> {
    const { generation, ring, headVersion } = this.#feed;
    if (generation !== this.#generation) return this.#beginAnew('UNKNOWN');
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
    if (entries === undefined) return this.#beginAnew('TOO_OLD');
    this.#position = entries.at(-1)?.change.sequence ?? this.#position;
    return entries.map((entry) => filteredText(this.#epoch, entry, this.#options.filter)).join('');
  }

  #beginAnew(reason: ResetReason): string {
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

  /** @returns whether it was woken; else it is time for a sign of life. */
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
