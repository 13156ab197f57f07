import { type KeepOptions, keep } from './keep.ts';

export interface KeeperOptions extends KeepOptions {
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Looks again and again until it is stopped; a look that fails is told, and the next one is due. */
export function startKeeper({ everyMs, log, ...options }: KeeperOptions): {
  stop(): Promise<void>;
} {
  let stopping = false;
  let wake = () => {};

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        const kept = await keep(options);
        if (kept.outcome === 'sent') log.info({ ...kept }, 'finalizing');
        if (kept.outcome === 'dear') {
          log.warn({ feePerGas: kept.feePerGas.toString() }, 'gas is too dear to finalize');
        }
      } catch (err) {
        log.warn({ err }, 'the keeper failed and looks again');
      }
      if (stopping) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping = true;
      wake();
      await running;
    },
  };
}
