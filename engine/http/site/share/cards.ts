import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AppDeps } from '../../deps.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';
import { drawCard } from './card.ts';
import type { ShareSubject } from './subject.ts';

/** A drawn card, and the validator of caches. */
export interface DrawnCard {
  readonly png: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Bytes of all cards that a process stores: a card has about 30 kB. */
const MAX_BYTES = 16 * 2 ** 20;

/** Cards that a process draws concurrently; each takes a thread for about 100 ms. */
const MAX_DRAWING = 2;

const drawing = new ConcurrencyLimit(MAX_DRAWING, 'share cards');

/** Share cards by their content: an equal one is drawn once. */
export class ShareCards {
  readonly #drawn: LRUCache<string, DrawnCard, ShareSubject>;

  constructor(deps: Pick<AppDeps, 'deployment'>) {
    this.#drawn = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ png }) => png.length,
      fetchMethod: async (key, _stale, { context }) => ({
        png: await drawing.run(deps, () => drawCard(context)),
        etag: `"${key}"`,
      }),
    });
  }

  /** @throws {HttpError} RATE_LIMITED if it must be drawn and too many are being drawn. */
  async get(subject: ShareSubject): Promise<DrawnCard> {
    const key = createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
    return await this.#drawn.forceFetch(key, { context: subject });
  }
}
