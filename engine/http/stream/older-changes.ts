import type { Logger } from 'pino';
import type { Pool } from '../../db/connection.ts';
import { type ChangePageSize, readChanges } from '../../db/read/changes.ts';
import { type Entry, entryOf } from './message.ts';

/** What is read at once for a reader that is behind what all share. */
const PAGE: ChangePageSize = { changes: 256, events: 500 };

/** Readers that are behind take so many connections to the database, all together. */
const AT_ONCE = 4;

/** Changes from the database, for readers who resume from further back; the others wait their turn. */
export class OlderChanges {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(readonly options: { readonly pool: Pool; readonly logger: Logger }) {}

  /**
   * The changes after a number, some of them; none where the database does not answer just now.
   * @returns `undefined` where they are not kept any more.
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
    if (this.#running >= AT_ONCE) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#running += 1;
  }
}
