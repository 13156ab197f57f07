import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';

/** Limits how many expensive tasks of one kind run concurrently in a process. */
export class ConcurrencyLimit {
  // Counted by deployment, because each request may have its own dependencies object (deadline.ts).
  readonly #running = new WeakMap<AppDeps['deployment'], number>();

  /** @param what noun in the plural, for the error message. */
  constructor(
    readonly max: number,
    readonly what: string,
  ) {}

  /** @throws {HttpError} RATE_LIMITED if the maximum is already running; and whatever the work throws. */
  async run<T>({ deployment }: Pick<AppDeps, 'deployment'>, work: () => Promise<T>): Promise<T> {
    const count = this.#running.get(deployment) ?? 0;
    if (count >= this.max) {
      throw new HttpError('RATE_LIMITED', `Too many ${this.what} are running: try again.`);
    }
    this.#running.set(deployment, count + 1);
    try {
      return await work();
    } finally {
      this.#running.set(deployment, (this.#running.get(deployment) ?? 1) - 1);
    }
  }
}
