import { setTimeout } from 'node:timers/promises';
import { type FinalizeOptions, finalizeDueSales } from './finalize-due-sales.ts';

/** Options of the keeper, with its interval and log. */
export interface KeeperOptions extends FinalizeOptions {
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Polls for due sales until it is stopped. A poll that fails is logged, and the next one follows. */
export function startKeeper({ everyMs, log, ...options }: KeeperOptions): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const result = await finalizeDueSales(options);
        if (result.outcome === 'sent') log.info({ ...result }, 'finalizing');
        if (result.outcome === 'too-expensive') {
          log.warn({ feePerGas: result.feePerGas.toString() }, 'gas is too expensive to finalize');
        }
      } catch (err) {
        log.warn({ err }, 'the keeper failed and retries');
      }
      await setTimeout(everyMs, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
