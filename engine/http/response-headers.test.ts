import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { AppEnv } from './context.ts';
import { appendHeader, applied, applyHeaders, headersOf, setLater } from './response-headers.ts';

const app = new Hono<AppEnv>();
app.use(async (c, next) => {
  setLater(c, { vary: 'origin', 'x-frame-options': 'DENY' });
  appendHeader(c, 'vary', 'cookie');
  appendHeader(c, 'ratelimit', '"address";r=1;t=1');
  await next();
});
app.use('/applied', applied);
app.get('/applied', (c) => c.text('applied'));
app.get('/own', (c) => new Response('own', { headers: headersOf(c) }));
app.get('/fails', () => {
  throw new Error('no');
});
app.onError((_error, c) => {
  applyHeaders(c);
  c.header('vary', 'accept-encoding', { append: true });
  return c.text('fails', 500);
});

it.each(['/applied', '/own'])('gives all headers to the response of %s', async (path) => {
  const { headers } = await app.request(path);
  expect(headers.get('vary')).toBe('origin, cookie');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('ratelimit')).toBe('"address";r=1;t=1');
});

it('gives them to an error, which can add to them', async () => {
  const { headers } = await app.request('/fails');
  expect(headers.get('vary')).toBe('origin, cookie, accept-encoding');
  expect(headers.get('x-frame-options')).toBe('DENY');
});

it('adds to the headers of each request alone', async () => {
  await app.request('/own');
  const { headers } = await app.request('/own');
  expect(headers.get('vary')).toBe('origin, cookie');
});
