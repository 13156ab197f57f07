import { trace } from '@opentelemetry/api';
import type { Env } from '../env.ts';
import type { BatchTotals } from '../settlement/batch.ts';

/** Ends tracing after sending the remaining spans. */
export type StopTracing = () => Promise<void>;

/**
 * Starts OpenTelemetry if its variables name an exporter or endpoint (docs/reference/configuration.md);
 * otherwise it is not even loaded. It reads the other OTEL_* variables itself.
 * @param process `api` or `worker`: the service is called `tributary-api`, unless OTEL_SERVICE_NAME
 * says otherwise.
 */
export async function startTracing(
  { tracing }: Pick<Env, 'tracing'>,
  process: string,
): Promise<StopTracing> {
  if (tracing === undefined) return async () => {};
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    serviceName: tracing.serviceName ?? `tributary-${process}`,
    // Metrics go to Prometheus, and logs to standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return async () => {
    // A collector that does not respond must not prevent the process from ending.
    await sdk.shutdown().catch(() => {});
  };
}

/** Records a trace span for a batch that has just ended; does nothing if tracing is off. */
export function batchSpan({ campaigns, outcome, events, rolledBack, ms }: BatchTotals): void {
  const end = Date.now();
  const attributes = { campaigns, outcome, events, rolled_back: rolledBack };
  trace
    .getTracer('tributary')
    .startSpan('settle', { startTime: end - ms, attributes })
    .end(end);
}
