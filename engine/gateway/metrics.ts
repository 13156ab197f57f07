import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Directory } from './directory.ts';
import type { ResponseDeployments } from './shapes.ts';

/** Metrics of a gateway (docs/operate/gateway.md#metrics). */
export interface GatewayMetrics {
  /** Counts an answered request. `name` is a method of the gateway, `passed on` or `other`. */
  readonly answered: (request: { name: string; status: number; seconds: number }) => void;
  /** Counts the deployments that a response across them misses. */
  readonly missed: (missing: ResponseDeployments['missing']) => void;
  /** Returns the text of all metrics, and its content type. */
  readonly read: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

const BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Creates the metrics of one gateway. */
export function makeMetrics(
  directory: Pick<Directory, 'all'>,
  register = new Registry(),
): GatewayMetrics {
  const registers = [register];
  const requests = new Counter({
    name: 'tributary_gateway_requests_total',
    help: 'Requests answered, by method and status.',
    labelNames: ['method', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'tributary_gateway_request_seconds',
    help: 'Time to answer, by method. Of a passed request, time to the headers.',
    labelNames: ['method'],
    buckets: BUCKETS,
    registers,
  });
  const missing = new Counter({
    name: 'tributary_gateway_missing_total',
    help: 'Responses across deployments that lack one, by deployment and reason.',
    labelNames: ['deployment', 'code'],
    registers,
  });
  new Gauge({
    name: 'tributary_gateway_deployment_up',
    help: '1 if checks of the deployment get the expected identity, and connections to it work.',
    labelNames: ['deployment'],
    registers,
    collect() {
      this.reset();
      for (const { name, state } of directory.all) {
        this.set({ deployment: name }, state === 'up' ? 1 : 0);
      }
    },
  });
  let watchesProcess = false;
  return {
    answered: ({ name, status, seconds }) => {
      requests.inc({ method: name, status: String(status) });
      duration.observe({ method: name }, seconds);
    },
    missed: (list) => {
      for (const { name, code } of list) missing.inc({ deployment: name, code });
    },
    read: async () => {
      // These watch the event loop, so they start with the first scrape.
      if (!watchesProcess) collectDefaultMetrics({ register });
      watchesProcess = true;
      return { text: await register.metrics(), contentType: register.contentType };
    },
  };
}
