import { type Polling, startPolling } from './poll.ts';
import { type RelayOptions, relayOrders, reportRelayer } from './relay-orders.ts';

/** Options of the relayer, with its interval and log. */
export interface RelayerOptions extends RelayOptions {
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Milliseconds between two reports, and between two equal warnings. */
const REPORT_MS = 30_000;

/** Sends signed orders until it is stopped. */
export function startRelayer({ everyMs, log, ...options }: RelayerOptions): Polling {
  let nextReport = 0;

  async function poll(): Promise<void> {
    const now = options.clock();
    const isReported = now >= nextReport;
    if (isReported) nextReport = now + REPORT_MS;
    if (isReported) await reportRelayer(options);
    const result = await relayOrders({
      ...options,
      onFailure: (err) => log.warn({ err }, 'the relayer could not send an order'),
    });
    if (result.outcome === 'sent') log.info({ ...result }, 'sending an order');
    if (!isReported) return;
    if (result.outcome === 'too-expensive') {
      log.warn({ feePerGas: result.feePerGas.toString() }, 'gas is too expensive for the relayer');
    }
    if (result.outcome === 'empty') {
      log.warn({ balance: result.balance.toString() }, 'the relayer cannot pay for gas');
    }
  }

  return startPolling(everyMs, poll, (err) => log.warn({ err }, 'the relayer failed and retries'));
}
