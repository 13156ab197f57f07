import { trace } from '@opentelemetry/api';
import type { Batch } from '../settlement/batch.ts';

/** A span of a batch that has just ended; nothing where tracing is off. */
export function batchSpan({ campaigns, outcome, events, rolledBack, ms }: Batch): void {
  const end = Date.now();
  const attributes = { campaigns, outcome, events, rolled_back: rolledBack };
  trace
    .getTracer('tributary')
    .startSpan('settle', { startTime: end - ms, attributes })
    .end(end);
}
