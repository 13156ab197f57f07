import { Registry } from 'prom-client';
import { workerMetrics } from '../../engine/cli/worker-metrics.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { makeMetrics as makeGatewayMetrics } from '../../engine/gateway/metrics.ts';
import { makeMetrics, processWatch } from '../../engine/http/operations/metrics.ts';

/** Metric of an API, a worker or a gateway. */
interface ServiceMetric {
  readonly name: string;
  /** Names under which Prometheus stores it: three for a histogram. */
  readonly series: readonly string[];
}

/** All metrics of APIs, workers and gateways, from their registries. Nothing is read, so nothing has to run. */
export function serviceMetrics(): readonly ServiceMetric[] {
  const [api, worker, everyProcess] = [new Registry(), new Registry(), new Registry()];
  const gateway = new Registry();
  const replicas = { states: () => [], counts: { primary: 0, repeated: 0, replicas: [] } };
  makeMetrics(
    depsWith({ replicas }),
    { readerCount: 0, cutCount: 0 },
    { counts: { cached: 0, shared: 0, computed: 0 } },
    api,
  );
  workerMetrics(depsWith({}) as unknown as Pool, worker);
  makeGatewayMetrics({ all: [] }, gateway);
  processWatch(everyProcess)();
  const all = [api, worker, gateway, everyProcess].flatMap((register) =>
    register.getMetricsAsArray().map((metric): [string, ServiceMetric] => {
      const { name } = metric;
      // prom-client stores the type as text, which its types do not declare.
      const histogram = 'type' in metric && String(metric.type) === 'histogram';
      const series = histogram ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
      return [name, { name, series }];
    }),
  );
  return [...new Map(all).values()];
}

type ApiDeps = Parameters<typeof makeMetrics>[0];

/** Dependencies that throw if anything reads another one than those that are given. */
function depsWith(given: Partial<ApiDeps>): ApiDeps {
  return new Proxy(given as ApiDeps, {
    get: (_, property) => {
      const value = Reflect.get(given, property);
      if (value !== undefined) return value;
      throw new Error(`A list of metrics needs no ${String(property)}.`);
    },
  });
}
