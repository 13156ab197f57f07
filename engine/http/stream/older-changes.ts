import type { Logger } from 'pino';
import type { Pool } from '../../db/connection.ts';
import { type ChangePageSize, readChanges } from '../../db/read/system/changes.ts';
import { type Entry, entryOf } from './message.ts';

/** Page size for a reader that is behind the shared changes. */
const PAGE: ChangePageSize = { changes: 256, events: 500 };

/** Concurrent reads of the database for readers that are behind. */
const MAX_CONCURRENT = 4;

/** Reads older changes for readers that resume from further back, a few at a time. */
export class OlderChanges {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(readonly options: { readonly pool: Pool; readonly logger: Logger }) {}

  /**
   * Some of the changes after a sequence number; empty if the database does not answer.
   * @returns `undefined` if they are no longer stored.
   */
  async read(after: number): Promise<readonly Entry[] | undefined> {
    await this.#turn();
    try {
      const page = await readChanges(this.options.pool, after, PAGE);
      if (page === undefined) return [];
      const { epoch, oldest, sequence } = page.head;
      if (after < sequence && (oldest === null || oldest > after + 1)) return undefined;
      return page.changes.map((change) => entryOf(epoch, change));
    } catch (error) {
      this.options.logger.warn({ err: error }, 'the stream could not read older changes');
      return [];
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= MAX_CONCURRENT) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#running += 1;
  }
}
