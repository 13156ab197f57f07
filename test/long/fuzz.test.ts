import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Method } from '../../engine/contract/define.ts';
import { ErrorBody, ResponseMeta } from '../../engine/contract/envelope.ts';
import { optionalResources } from '../../engine/contract/registry.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { arbitraryOf, junk } from '../http/support/arbitrary.ts';
import {
  builtMethods,
  isWrite,
  leastParts,
  type Parts,
  requestOf,
  schemasOf,
} from '../http/support/requests.ts';
import { signedIn } from '../http/support/session.ts';
import { saveProfiles, smallHistory } from '../http/support/small-history.ts';
import { deliveryOf, disputeOf, intentOf } from '../http/support/strangers.ts';
import { account, hash } from '../support/history.ts';

/** Requests of the whole run, shared out among the methods. A failure replays by its seed. */
const REQUESTS = 4_000;
const SEED = 20_260_101;

const LEAK = /node_modules|\n\s*at |\.ts:\d|postgres|syntax error|\bselect\b.*\bfrom\b|SQLSTATE/i;

const Success = z.strictObject({ data: z.unknown(), meta: ResponseMeta });

describe('the API, whatever it is asked', () => {
  let fixture: ApiFixture;
  let app: ReturnType<ApiFixture['app']>;
  let sent = 0;
  let answered = 0;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    await savePlans(fixture.pool);
    await disputeOf(fixture, account(11));
    await intentOf(fixture, account(11));
    await deliveryOf(fixture, account(11));
    app = fixture.app();
  });
  afterAll(() => fixture.close());

  /** Fields of a part as its schema has them, and in some runs others. */
  function fields(part: Parameters<typeof arbitraryOf>[0], least: object): fc.Arbitrary<object> {
    const right = arbitraryOf(part).map((value) => Object(value));
    const names = Object.keys(part.properties ?? { x: 1 });
    const odd = fc.dictionary(fc.constantFrom(...names, 'nope'), junk, { maxKeys: 2 });
    return fc.oneof(
      { weight: 6, arbitrary: right },
      { weight: 2, arbitrary: fc.tuple(right, odd).map(([a, b]) => ({ ...a, ...b })) },
      { weight: 1, arbitrary: odd.map((value) => ({ ...least, ...value })) },
    );
  }

  function partsOf(method: Method): fc.Arbitrary<Parts> {
    const schemas = schemasOf(method);
    const least = leastParts(method);
    const params = fields(schemas.params, least.params);
    return fc.record({
      // Things that are there, for otherwise most requests would end at a 404.
      params: fc.oneof(fc.constant(least.params), params).map((value) => ({ ...value })),
      query: fields(schemas.query, least.query).map((value) => ({ ...value })),
      body: fc.oneof(
        { weight: 9, arbitrary: fields(schemas.body, Object(least.body)) },
        { weight: 1, arbitrary: junk },
      ),
    });
  }

  it.each(builtMethods.map((one) => [one.name, one] as const))(
    '%s answers by its schema or in the error’s envelope, and leaks nothing',
    async (_name, method) => {
      // The merchant of campaign 1 or one of its distributors, and an account without anything.
      const owner = method.path.includes('/merchant') ? 1_000 : 11;
      const callers = fc.constantFrom(owner, owner, 999);
      const property = fc.asyncProperty(partsOf(method), callers, async (parts, caller) => {
        const me = await signedIn(fixture.deps, account(caller));
        const headers = isWrite(method) ? me.writing : me.reading;
        const { path, init } = requestOf(method, parts, headers);
        const response = await app.request(path, init);
        sent += 1;
        const text = await response.text();
        if (response.ok) {
          answered += 1;
          const { data } = Success.parse(JSON.parse(text));
          method.output.parse(data);
          return;
        }
        const { error } = ErrorBody.parse(JSON.parse(text));
        expect(response.status === 503 || response.status < 500, text).toBe(true);
        expect(`${error.message} ${JSON.stringify(error.issues ?? [])}`).not.toMatch(LEAK);
      });
      const numRuns = Math.ceil(REQUESTS / builtMethods.length);
      await fc.assert(property, { seed: SEED, numRuns });
    },
  );

  it('the fuzz test sent enough requests, and many for existing things', () => {
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    expect(answered / sent).toBeGreaterThan(0.2);
  });
});

/** What the paths of `knownOf` name: a draft, a report and an invitation of the merchant of campaign 1. */
async function savePlans(pool: ApiFixture['pool']): Promise<void> {
  const merchant = account(1_000);
  await pool`
    insert into commerce.campaign_draft (merchant, id, version, draft)
    values (${merchant}, 'plan', 1, '{}')`;
  await pool`
    insert into commerce.report (id, merchant, kind, format, created_at, changed_at)
    values ('figures', ${merchant}, 'sales', 'csv', now(), now())`;
  await pool`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
      terms, policy_hash, created_at, expires_at)
    values ('offer', ${merchant}, 'm-acme', 1, ${account(11)}, '', '', ${hash('policy 1 1')}, now(),
      now() + interval '1 day')`;
}
