import { type FinalizeOptions, finalizeDueSales } from './finalize-due-sales.ts';
import { type Polling, startPolling } from './poll.ts';

/** Options of the keeper, with its interval and log. */
export interface KeeperOptions extends FinalizeOptions {
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Polls for due sales until it is stopped. */
export function startKeeper({ everyMs, log, ...options }: KeeperOptions): Polling {
  async function poll(): Promise<void> {
    const result = await finalizeDueSales(options);
    if (result.outcome === 'sent') log.info({ ...result }, 'finalizing');
    if (result.outcome === 'too-expensive') {
      log.warn({ feePerGas: result.feePerGas.toString() }, 'gas is too expensive to finalize');
    }
  }
  return startPolling(everyMs, poll, (err) => log.warn({ err }, 'the keeper failed and retries'));
}
