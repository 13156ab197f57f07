import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Method, pathsOf } from '../../engine/contract/define.ts';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { methods, optionalResources, servedMethods } from '../../engine/contract/registry.ts';
import { neededRole, scopeOf } from '../../engine/contract/scopes.ts';
import { acceptInvitations, inviteMember } from '../../engine/db/commerce/team.ts';
import { MAX_FORM_BYTES } from '../../engine/http/files/read-form.ts';
import { MAX_BODY_BYTES } from '../../engine/http/security.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { boundsOf } from './support/bounds.ts';
import { fieldsOf, type Schema } from './support/json-schema.ts';
import {
  builtMethods,
  isWrite,
  leastParts,
  type Parts,
  pathOf,
  requestOf,
  schemasOf,
} from './support/requests.ts';
import { type SignedIn, signedIn } from './support/session.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';
import { MEMBER, OWNER, owned, STRANGER } from './support/strangers.ts';

const enabled = new Set(optionalResources);
const live = servedMethods(enabled).filter(({ availability }) => availability === 'live');
/** Methods that answer 501 in a deployment that enables none. */
const designed = methods.filter(({ availability }) => availability !== 'live');
const sessionMethods = live.filter(({ access }) => access === 'session');
const builtWrites = builtMethods.filter(isWrite);

/** By name, so that a test's title says which method it is about. */
const named = (list: readonly Method[]) => list.map((one) => [one.name, one] as const);

/** What an issue says of a bound; a value at its bound may be refused for what it means. */
const OUT_OF_BOUNDS = /at most|at least|too (big|small|long|short)|expected/i;

const Page = z.object({ data: z.object({ nextCursor: z.string().nullable() }) });

/** Driven by the registry: a new method is in all of this by being there. */
describe('every method', () => {
  let fixture: ApiFixture;
  let app: ReturnType<ApiFixture['app']>;
  let me: SignedIn;
  let other: SignedIn;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ operators: [OWNER], enabled });
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    app = fixture.app();
  });
  // An account has 50 keys at most.
  afterEach(async () => {
    await fixture.pool`delete from commerce.api_key`;
  });
  afterAll(() => fixture.close());

  /** New sessions: a method that was tried may have ended one. */
  async function signIn(): Promise<void> {
    me = await signedIn(fixture.deps, account(11));
    other = await signedIn(fixture.deps, account(12));
  }

  async function answerTo(path: string, init: RequestInit = {}, served = app) {
    const response = await served.request(path, init);
    const text = await response.text();
    expect(response.status === 500, `${init.method} ${path}: ${text}`).toBe(false);
    const { status, headers } = response;
    if (response.ok) return { status, headers, code: '', fields: [], issues: [] };
    const { error } = ErrorBody.parse(JSON.parse(text));
    const issues = error.issues ?? [];
    return { status, headers, code: error.code, fields: issues.map(({ path }) => path), issues };
  }

  /** What a caller who may call it sends along. */
  function credentials(method: Method): Readonly<Record<string, string>> {
    if (method.access === 'session' || method.readsSession) {
      return isWrite(method) ? me.writing : me.reading;
    }
    return isWrite(method) ? { origin: 'https://shop.example' } : {};
  }

  async function send(method: Method, parts: Parts) {
    const { path, init } = requestOf(method, parts, credentials(method));
    return await answerTo(path, init);
  }

  it.each(named(designed))(
    '%s returns 501 to everyone while it is only designed',
    async (_name, method) => {
      await signIn();
      const off = fixture.app({ enabled: new Set() });
      for (const headers of [{}, me.writing, { origin: 'https://evil.example' }]) {
        const init = { method: method.method, headers };
        const answer = await answerTo(pathOf(method), init, off);
        expect(answer).toMatchObject({ status: 501, code: 'METHOD_UNAVAILABLE' });
      }
    },
  );

  it.each(named(sessionMethods))('%s returns nothing without a session', async (_name, method) => {
    const cookie = '__Host-tributary-session=';
    for (const headers of [
      {},
      { cookie },
      { cookie: `${cookie}${'A'.repeat(43)}` },
      { cookie: `${cookie}' or 1=1--` },
      { authorization: 'Bearer x' },
      { 'x-csrf-token': 'x', origin: 'https://shop.example' },
      { origin: 'https://evil.example' },
    ]) {
      const init = { method: method.method, headers };
      for (const path of [pathOf(method), `${pathOf(method)}?nope=1`]) {
        const answer = await answerTo(path, init);
        expect(answer).toMatchObject({ status: 401, code: 'UNAUTHENTICATED', fields: [] });
      }
    }
  });

  it.each(named(sessionMethods.filter(isWrite)))(
    '%s is written with the session’s own CSRF token and from an allowed origin only',
    async (_name, method) => {
      await signIn();
      const { cookie, origin, 'x-csrf-token': token } = me.writing;
      const attempts: [Record<string, string | undefined>, string][] = [
        [{ cookie, origin }, 'CSRF_REJECTED'],
        [{ cookie, origin, 'x-csrf-token': 'x' }, 'CSRF_REJECTED'],
        [{ cookie, origin, 'x-csrf-token': other.csrfToken }, 'CSRF_REJECTED'],
        [{ cookie, 'x-csrf-token': token }, 'ORIGIN_REJECTED'],
        [{ cookie, 'x-csrf-token': token, origin: 'null' }, 'ORIGIN_REJECTED'],
        [{ cookie, 'x-csrf-token': token, origin: 'https://evil.example' }, 'ORIGIN_REJECTED'],
        [{ cookie, 'x-csrf-token': token, origin: 'http://shop.example' }, 'ORIGIN_REJECTED'],
      ];
      for (const [given, code] of attempts) {
        const headers = Object.entries(given).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, value]],
        );
        const answer = await answerTo(pathOf(method), { method: method.method, headers });
        expect(answer).toMatchObject({ status: 403, code });
      }
    },
  );

  it.each(named(live.filter((one) => one.access === 'public' && isWrite(one))))(
    '%s rejects a public write from a foreign origin',
    async (_name, method) => {
      const headers = { origin: 'https://evil.example' };
      const answer = await answerTo(pathOf(method), { method: method.method, headers });
      expect(answer).toMatchObject({ status: 403, code: 'ORIGIN_REJECTED' });
    },
  );

  it.each(named(builtWrites))('%s reads no other content type', async (_name, method) => {
    await signIn();
    const { input } = method;
    const wrong = ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''];
    for (const type of [...wrong, input?.multipart ? 'application/json' : 'multipart/form-data']) {
      const headers = { ...credentials(method), 'content-type': type };
      const init = { method: method.method, headers, body: new Blob(['{"a":1}']) };
      expect(await answerTo(pathOf(method), init), type).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
  });

  it.each(named(builtWrites))('%s reads no oversized body', async (_name, method) => {
    await signIn();
    const multipart = method.input?.multipart === true;
    const type = multipart ? 'multipart/form-data; boundary=x' : 'application/json';
    const body = new Blob(['x'.repeat((multipart ? MAX_FORM_BYTES : MAX_BODY_BYTES) + 1)]);
    for (const length of [{}, { 'content-length': String(body.size) }]) {
      const headers = { ...credentials(method), 'content-type': type, ...length };
      const answer = await answerTo(pathOf(method), { method: method.method, headers, body });
      expect(answer).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    }
  });

  it.each(named(builtMethods))('%s names each unknown field', async (_name, method) => {
    await signIn();
    const least = leastParts(method);
    const inQuery = await send(method, { ...least, query: { ...least.query, nope: 1 } });
    expect(inQuery).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    expect(inQuery.fields).toContain('nope');
    if (!method.input?.body) return;
    for (const body of [{ ...Object(least.body), nope: 1 }, { input: least.body }]) {
      const answer = await send(method, { ...least, body });
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
      expect(answer.fields).toContain('nope' in body ? 'nope' : 'input');
    }
    for (const body of [null, [], 'x', 1]) {
      expect((await send(method, { ...least, body })).status).toBe(400);
    }
  });

  /** The fields of a part, nested objects of a body too, each with its bounds. */
  function fieldsToTry(schema: Schema, asText: boolean, at: readonly string[] = []): Field[] {
    return fieldsOf(schema).flatMap(([name, field]) => {
      const path = [...at, name];
      const inner = asText ? [] : fieldsToTry(field, asText, path);
      return [{ path, ...boundsOf(field, asText) }, ...inner];
    });
  }

  it.each(named(builtMethods))(
    '%s refuses a value that is out of range by one',
    async (_name, method) => {
      await signIn();
      const schemas = schemasOf(method);
      const least = leastParts(method);
      for (const part of ['params', 'query', 'body'] as const) {
        if (!method.input?.[part]) continue;
        for (const { path, good, bad } of fieldsToTry(schemas[part], part !== 'body')) {
          const with_ = (value: unknown): Parts => ({
            ...least,
            [part]: placed(least[part], path, value),
          });
          const field = path.join('.');
          for (const value of bad) {
            const what = `${part} ${field} = ${JSON.stringify(value)?.slice(0, 80)}`;
            const { status, fields } = await send(method, with_(value));
            expect([status, what]).toEqual([400, what]);
            const about = fields.some((one) => one === field || one.startsWith(`${field}.`));
            expect(about, `${what}: ${fields}`).toBe(true);
          }
          for (const value of good) {
            const { issues } = await send(method, with_(value));
            const bound = issues.filter(
              (one) => one.path === field && OUT_OF_BOUNDS.test(one.message),
            );
            expect(bound, `${part} ${field} = ${String(value).slice(0, 80)}`).toEqual([]);
          }
        }
      }
    },
  );

  it.each(named(builtMethods))('%s treats metacharacters literally', async (_name, method) => {
    await signIn();
    const schemas = schemasOf(method);
    const least = leastParts(method);
    const inSql = ["' or 1=1--; drop table ledger.sale;--", '\\ %27 $1', '\0', '\ud800'];
    const elsewhere = ['a\r\nx-injected: 1', '\u2028 {{7*7}} <script> *)(uid=*', '__proto__'];
    for (const part of ['params', 'query', 'body'] as const) {
      if (!method.input?.[part]) continue;
      for (const { path } of fieldsToTry(schemas[part], part !== 'body')) {
        for (const value of [...inSql, ...elsewhere]) {
          const answer = await send(method, {
            ...least,
            [part]: placed(least[part], path, value),
          });
          expect(answer.status === 503 || answer.status < 500).toBe(true);
          expect(answer.headers.get('x-injected')).toBeNull();
        }
      }
    }
    for (const name of ['x-request-id', 'user-agent', 'x-forwarded-for', 'accept', 'cookie']) {
      const { path, init } = requestOf(method, least, credentials(method));
      const headers = { [name]: '\'"; <x> \\ {{7*7}} %0d%0a', ...init.headers };
      const answer = await answerTo(path, { ...init, headers });
      expect(answer.status === 503 || answer.status < 500, name).toBe(true);
    }
  });

  const lists = builtMethods.filter((one) => schemasOf(one).query.properties?.cursor);

  it.each(named(lists))('%s accepts only its own cursor', async (name, method) => {
    await signIn();
    const make = owned[name];
    const own = typeof make === 'function' ? await make(fixture) : {};
    if (typeof make === 'function') me = await signedIn(fixture.deps, OWNER);
    const least = { ...leastParts(method), ...own };
    const query = { ...least.query, limit: 1 };
    const first = requestOf(method, { ...least, query }, credentials(method));
    const response = await app.request(first.path, first.init);
    const cursor = Page.parse(await response.json()).data.nextCursor;
    const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hash = cursor && JSON.parse(Buffer.from(cursor, 'base64url').toString())[0];
    const forged = ['', 'x', '\0', forge(null), forge({}), forge(['x', ['1', '1']])];
    const torn = cursor
      ? [`${cursor}AA`, forge([hash]), forge([hash, []]), forge([hash, [1]])]
      : [];
    for (const one of [...forged, ...torn, forge([hash, ["1'", '\0']]), 'A'.repeat(2_001)]) {
      const answer = await send(method, { ...least, query: { ...query, cursor: one } });
      expect([answer.status, answer.fields], one).toEqual([400, ['cursor']]);
    }
    if (cursor === null) return;
    expect((await send(method, { ...least, query: { ...query, cursor } })).status).toBe(200);
    for (const [field, schema] of fieldsOf(schemasOf(method).query)) {
      const value = schema.type === 'string' ? 'a' : boundsOf(schema, true).good[0];
      if (field === 'cursor' || field === 'limit' || value === undefined) continue;
      const changed = { ...query, cursor, [field]: value };
      expect((await send(method, { ...least, query: changed })).status, field).toBe(400);
    }
    for (const another of lists.filter((one) => one !== method)) {
      const theirs = leastParts(another);
      const answer = await send(another, { ...theirs, query: { ...theirs.query, cursor } });
      expect([answer.status, answer.fields], another.name).toEqual([400, ['cursor']]);
    }
  });

  it.each([...new Set(methods.flatMap((one) => [...pathsOf(one)]))])(
    '%s returns 405 to other HTTP methods',
    async (path) => {
      const verbs = methods.filter((one) => pathsOf(one).includes(path)).map((one) => one.method);
      const url = path.replace(/:\w+/g, '1');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'] as const) {
        if (verbs.some((verb) => verb === method)) continue;
        const answer = await answerTo(url, { method });
        // A path of fixed words may also be one of another method's placeholders.
        if (answer.code === 'METHOD_UNAVAILABLE' || answer.status === 401) continue;
        expect(answer, method).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
        expect(answer.headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(verbs));
      }
    },
  );

  const personal = builtMethods.filter((one) => one.access === 'session' && one.path.includes(':'));

  /** Everybody who has no part in OWNER's things, and may pretend to. */
  async function strangers(method: Method): Promise<Record<string, Record<string, string>>> {
    const session = credentialsOf(await signedIn(fixture.deps, STRANGER), method);
    const key = { authorization: `Bearer ${await keyOf(fixture, STRANGER)}` };
    const pretending = { 'x-merchant': OWNER };
    return {
      session,
      key,
      'session for the owner': { ...session, ...pretending },
      'key for the owner': { ...key, ...pretending },
    };
  }

  /** Everybody who may do what OWNER may: a member only for the merchant, and a key where it has a scope. */
  async function owners(method: Method): Promise<Record<string, Record<string, string>>> {
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const all: Record<string, Record<string, string>> = {
      session: credentialsOf(await signedIn(fixture.deps, OWNER), method),
    };
    const hasScope = scopeOf(method) !== undefined;
    if (hasScope) all.key = bearer(await keyOf(fixture, OWNER));
    const role = neededRole(method);
    if (role === undefined || role === 'owner') return all;
    await inviteMember(
      fixture.pool,
      { id: 'owner-member', merchant: OWNER, account: MEMBER, role: 'admin' },
      new Date(),
    );
    await acceptInvitations(fixture.pool, MEMBER, new Date());
    if (ownThings.has(method.name)) return all;
    const session = credentialsOf(await signedIn(fixture.deps, MEMBER), method);
    all['session of a member'] = { ...session, 'x-merchant': OWNER };
    if (hasScope)
      all['key of a member'] = bearer(await keyOf(fixture, MEMBER, { merchant: OWNER }));
    return all;
  }

  it.each(named(personal))(
    '%s returns nothing of the owner’s to a stranger',
    async (name, method) => {
      const make = owned[name];
      expect(make, `${name} names a thing: say in support/strangers.ts whose it is`).toBeDefined();
      if (make === undefined || make === 'open') return;
      const as = async (headers: Record<string, string>) => {
        const parts = { ...leastParts(method), ...(await make(fixture)) };
        const { path, init } = requestOf(method, parts, headers);
        return await answerTo(path, init);
      };
      for (const [who, headers] of Object.entries(await strangers(method))) {
        expect([403, 404], who).toContain((await as(headers)).status);
      }
      for (const [who, headers] of Object.entries(await owners(method))) {
        const { code } = await as(headers);
        // A fresh signature is asked of callers who may do it.
        expect(['FORBIDDEN', 'NOT_FOUND'], who).not.toContain(code);
      }
    },
  );
});

/** Methods of the merchant's side about what belongs to one account alone. */
const ownThings: ReadonlySet<string> = new Set([
  'apiKeys.rotate',
  'apiKeys.revoke',
  'apiKeys.usage',
]);

function credentialsOf(who: SignedIn, method: Method): Record<string, string> {
  return { ...(isWrite(method) ? who.writing : who.reading) };
}

interface Field {
  readonly path: readonly string[];
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** The same object with that value in that place. */
function placed(object: unknown, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const fields: Record<string, unknown> =
    typeof object === 'object' && object !== null ? { ...object } : {};
  fields[name] = rest.length === 0 ? value : placed(fields[name], rest, value);
  return fields;
}
