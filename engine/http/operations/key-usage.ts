import type { Logger } from 'pino';
import { type KeyRequest, saveUsage } from '../../db/commerce/api-key-usage.ts';
import type { Pool } from '../../db/connection.ts';

/** Milliseconds after which noted requests are stored. */
const DELAY_MS = 1_000;

/** Requests that wait to be stored; further ones are not counted. */
const MAX_WAITING = 10_000;

/**
 * Requests of API keys, stored together once a second, so that a request does not wait for its own
 * count. A process that is killed loses those of its last second.
 */
export class KeyUsage {
  readonly #pool: Pool;
  readonly #logger: Pick<Logger, 'warn'>;
  #waiting: KeyRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor({ pool, logger }: { readonly pool: Pool; readonly logger: Pick<Logger, 'warn'> }) {
    this.#pool = pool;
    this.#logger = logger;
  }

  /** Notes a request that was answered. */
  note(request: KeyRequest): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(request);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  /** Stores what was noted. If that fails, it is lost: a count is not worth failing a request. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const requests = this.#waiting;
    this.#waiting = [];
    try {
      await saveUsage(this.#pool, requests);
    } catch (error) {
      const lost = requests.length;
      this.#logger.warn({ err: error, lost }, 'the usage of API keys could not be stored');
    }
  }
}
