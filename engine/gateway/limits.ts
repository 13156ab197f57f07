import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpError } from '../http/errors.ts';
import { networkOf } from '../http/network-address.ts';

const WINDOW_SECONDS = 60;

/** Requests across deployments that may run concurrently: each asks all of them. */
const MAX_RUNNING = 64;

/**
 * Limits requests across deployments: each address may send `perMinute` in a minute, and few run concurrently.
 * Requests that are passed on are counted by their deployment.
 */
export class AcrossLimits {
  readonly #limiter: RateLimiterMemory;
  #running = 0;

  constructor(perMinute: number) {
    this.#limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  }

  /** @throws {HttpError} RATE_LIMITED; and whatever the work throws. */
  async run<T>(address: string, work: () => Promise<T>): Promise<T> {
    await this.#count(address);
    if (this.#running >= MAX_RUNNING) {
      throw new HttpError(
        'RATE_LIMITED',
        'Too many requests across deployments are running: try again.',
      );
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }

  async #count(address: string): Promise<void> {
    try {
      await this.#limiter.consume(networkOf(address));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const seconds = String(Math.max(1, Math.ceil(error.msBeforeNext / 1_000)));
      throw new HttpError('RATE_LIMITED', `Too many requests: try again in ${seconds} s.`, [], {
        'retry-after': seconds,
      });
    }
  }
}
