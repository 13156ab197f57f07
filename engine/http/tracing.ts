import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { createMiddleware } from 'hono/factory';
import type { AppEnv } from './context.ts';

/** A span for each request, named by its method of the registry; nothing where tracing is off. */
export const traced = createMiddleware<AppEnv>(async (c, next) => {
  const tracer = trace.getTracer('tributary');
  await tracer.startActiveSpan(c.req.method, { kind: SpanKind.SERVER }, async (span) => {
    try {
      await next();
    } finally {
      const { status } = c.res;
      const name = c.get('methodName');
      if (name !== undefined) span.updateName(name);
      span.setAttributes({
        'http.request.method': c.req.method,
        'http.response.status_code': status,
        'tributary.request_id': c.get('requestId'),
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
  });
});
