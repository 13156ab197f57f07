import { trace } from '@opentelemetry/api';
import type { Batch } from './worker-metrics.ts';

/** A span of a batch that has just ended; nothing where tracing is off. */
export function batchSpan({ outcome, events, rolledBack, ms }: Batch): void {
  const end = Date.now();
  const attributes = { outcome, events, rolled_back: rolledBack };
  trace
    .getTracer('tributary')
    .startSpan('settle', { startTime: end - ms, attributes })
    .end(end);
}
