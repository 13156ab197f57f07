import { afterAll, beforeAll, expect, it } from 'vitest';
import { optionalResources } from '../../engine/contract/registry.ts';
import { makeRateLimits } from '../../engine/http/limits/rate-limits.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

let fixture: ApiFixture;

beforeAll(async () => {
  fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
  await fixture.settle(smallHistory().history.facts);
});
afterAll(() => fixture.close());

/** Security headers that a response lacks. */
function lacking({ headers }: Response): string[] {
  const needed: Readonly<Record<string, RegExp>> = {
    'content-security-policy': /default-src 'none'/,
    'x-content-type-options': /^nosniff$/,
    'x-frame-options': /^DENY$/,
    'referrer-policy': /^no-referrer$/,
    'cache-control': /no-store/,
  };
  return Object.entries(needed).flatMap(([name, form]) =>
    form.test(headers.get(name) ?? '') ? [] : [name],
  );
}

it('sends security headers with every error of every route', async () => {
  const app = fixture.app();
  const paths = [...new Set(app.routes.map(({ path }) => path))].map((path) =>
    path.replace(/:\w+(\{[^}]*\})?/g, '%00').replace('*', 'nothing'),
  );
  expect(paths.length).toBeGreaterThan(150);
  expect(paths.some((path) => path.startsWith('/media/'))).toBe(true);
  const statuses = new Set<number>();
  const wrong: unknown[] = [];
  for (const path of [...paths, '/nowhere', '/media/none', '/downloads/none', '/reports/none']) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await app.request(path, { method });
      if (response.status < 400) continue;
      statuses.add(response.status);
      const missing = lacking(response);
      if (missing.length > 0) wrong.push([method, path, response.status, missing]);
    }
  }
  expect(wrong).toEqual([]);
  expect([...statuses]).toEqual(expect.arrayContaining([400, 401, 404, 405, 415]));
}, 60_000);

it('sends them when too much was asked, something broke, or the database is away', async () => {
  const { pool, keys } = fixture.deps;
  const broken = {
    429: fixture.app({
      limits: makeRateLimits({ pool, keys, redis: undefined, prefix: 'one', perMinute: 1 }),
    }),
    500: fixture.app({
      clock: () => {
        throw new Error('a broken clock');
      },
    }),
  };
  const long = { method: 'POST', body: 'x'.repeat(100_000) };
  const origin = { origin: 'https://shop.example', 'content-type': 'application/json' };
  await broken[429].request('/v1/campaigns');
  await broken[429].request('/v1/campaigns');
  const answers = [
    await broken[429].request('/v1/campaigns'),
    await broken[429].request('/media/none'),
    await broken[500].request('/v1/auth/nonce'),
    await fixture.app().request('/v1/policies/simulate', { ...long, headers: origin }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([429, expect.any(Number), 500, 413]);
  expect(answers.map(lacking)).toEqual(answers.map(() => []));
});
