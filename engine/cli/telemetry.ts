import type { Env } from '../env.ts';

/** Ends tracing: sends what is left. */
export type StopTracing = () => Promise<void>;

/**
 * Starts OpenTelemetry where its usual variables (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER …)
 * say where to send spans; off otherwise, and then nothing of it is loaded. It reads the rest of
 * OTEL_* by itself.
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
    // Prometheus has the metrics, and the log is the process's own output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return async () => {
    // A collector that is away keeps no process from ending.
    await sdk.shutdown().catch(() => {});
  };
}
