import type { AppDeps } from './deps.ts';
import { TooManyAtOnceError } from './errors.ts';

/** Bounds how many of something costly run at once in a process. */
export class AtOnce {
  // By deployment: a request may have dependencies of its own (deadline.ts).
  readonly #running = new WeakMap<AppDeps['deployment'], number>();

  /** @param what in the plural, for the sentence of the refusal. */
  constructor(
    readonly most: number,
    readonly what: string,
  ) {}

  /** @throws {TooManyAtOnceError} where as many run as may. */
  async run<T>({ deployment }: Pick<AppDeps, 'deployment'>, work: () => Promise<T>): Promise<T> {
    const count = this.#running.get(deployment) ?? 0;
    if (count >= this.most) {
      throw new TooManyAtOnceError(`Too many ${this.what} run just now: try again.`);
    }
    this.#running.set(deployment, count + 1);
    try {
      return await work();
    } finally {
      this.#running.set(deployment, (this.#running.get(deployment) ?? 1) - 1);
    }
  }
}
