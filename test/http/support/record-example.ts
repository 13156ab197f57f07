import type { Method } from '../../../engine/contract/define.ts';
import { methods } from '../../../engine/contract/registry.ts';
import { saveConfirmation } from '../../../engine/db/commerce/confirmations.ts';
import { newToken, tokenHashOf } from '../../../engine/http/auth/token.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';
import type { Example } from '../../../engine/http/openapi/examples.ts';
import { exampleInputs as liveInputs, type Recording } from './example-inputs.ts';
import { allEnabled, optionalExampleInputs } from './optional-example-inputs.ts';
import { type Parts, requestOf } from './requests.ts';
import { addressOf, NOW, ORIGIN, type SampleApi } from './sample-api.ts';
import { type SignedIn, signedIn } from './session.ts';

/** Largest number of objects and of other values in a list of an example. */
const MAX_OBJECTS = 2;
const MAX_VALUES = 12;
/** Largest number of characters of hex digits in an example. */
const MAX_HEX = 200;

/** Requests to record by the name of their method, in the order in which they are recorded. */
export const exampleInputs = { ...liveInputs, ...optionalExampleInputs };

/** Methods that a deployment can serve, by the names of their examples. */
export const served: readonly [name: string, method: Method][] = methods
  .filter(({ availability }) => availability !== 'designed')
  .flatMap(examplesOf);

/** Methods by the names of their examples: a method, and its narrower path. */
function examplesOf(method: Method): [name: string, method: Method][] {
  const { name, input } = method;
  if (input?.narrowed === undefined) return [[name, method]];
  const { path } = input.narrowed;
  return [
    [name, method],
    [`${name}.narrowed`, { ...method, path }],
  ];
}

/**
 * Records one successful request of a method, shortened and without what differs between two runs.
 * @throws Error if the response is not a success.
 */
export async function recordExample(...request: Parameters<typeof sendExample>): Promise<Example> {
  return cleaned(await sendExample(...request));
}

/**
 * Sends the request of an example.
 * @param name key of the input.
 * @param changes what the API needs otherwise for this request, such as its pool.
 * @param query fields of the query in place of those of the example.
 * @throws Error if the response is not a success.
 */
export async function sendExample(
  sample: SampleApi,
  name: string,
  method: Method,
  changes: Partial<AppDeps> = {},
  query?: Recording['query'],
): Promise<Example> {
  const { fixture } = sample;
  const make = exampleInputs[name];
  if (make === undefined) throw new Error(missingInput(name));
  const recording: Recording = { ...(await make(sample)), ...(query && { query }) };
  const session = recording.as && (await signedIn(fixture.deps, addressOf(recording.as)));
  const parts = await partsOf(sample, recording, session);
  const { path, init } = requestOf(method, parts, {
    'x-request-id': 'req-1',
    ...headersOf(method, session),
  });
  const body = recording.file === undefined ? init.body : formOf(recording.file);
  const optional = method.availability === 'optional' ? allEnabled : {};
  const app = fixture.app({ ...optional, ...changes });
  const response = await app.request(path, { ...init, ...(body && { body }) });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${method.name} answered ${response.status}: ${text}`);
  const { data, meta } = JSON.parse(text);
  if (recording.shows) data.items = data.items.filter(recording.shows);
  const request = {
    ...(Object.keys(parts.params).length > 0 && { params: parts.params }),
    ...(Object.keys(parts.query).length > 0 && { query: parts.query }),
    ...(method.input?.body && { body: parts.body }),
  };
  return {
    ...(Object.keys(request).length > 0 && { request }),
    response: { data, meta },
  };
}

/** A sentence for somebody who added a method and not its input. */
export function missingInput(name: string): string {
  return `${name} has no example: add an input for it to test/http/support/example-inputs.ts, and run \`npx vitest run test/http/examples.test.ts -u\`.`;
}

/** The parts of the request, with a fresh signature if it needs one. */
async function partsOf(
  { fixture }: SampleApi,
  { params = {}, query = {}, body = {}, isConfirmed = false }: Recording,
  session: SignedIn | undefined,
): Promise<Parts> {
  if (!isConfirmed || session === undefined) return { params, query, body };
  const confirmationToken = newToken();
  const until = new Date(NOW + 300_000);
  await saveConfirmation(fixture.pool, session.id, tokenHashOf(confirmationToken), until);
  return { params, query, body: { ...body, confirmationToken } };
}

function headersOf(method: Method, session: SignedIn | undefined): Record<string, string> {
  if (method.method === 'GET') return { ...session?.reading };
  return { ...(session ? session.writing : { origin: ORIGIN }) };
}

function formOf(file: Blob): FormData {
  const form = new FormData();
  form.append('file', file, 'file');
  return form;
}

/** Replacements of secrets and of what differs between two runs, by the name of the field. */
const replacements: Readonly<Record<string, unknown>> = {
  csrfToken: 'b2Ygbm8gdXNlIHRvIGFueWJvZHksIGFuIGV4YW1wbGU',
  confirmationToken: 'YW4gZXhhbXBsZSBvZiBhIGNvbmZpcm1hdGlvbiB0b2s',
  signature: `0x${'5e'.repeat(65)}`,
  nextCursor: 'WyJhbiBleGFtcGxlIixbIjEiXV0',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  durationMs: 250,
  latencyMs: 12,
  beforeHash: `0x${'be'.repeat(32)}`,
  afterHash: `0x${'af'.repeat(32)}`,
  // It depends on the ids in the calldata.
  gas: '127458',
};

/** Nonce of sign-ins; an attestation has one, too, which is a number of the chain. */
const NONCE = /\b[0-9a-f]{32}\b/g;
/** An id of the service: 22 characters of base64url, after a prefix or the name of a resource. */
const OWN_ID =
  /(?<=^|^dlv_|^evt_|^[A-Za-z]+:|\/media\/|\/downloads\/|\/reports\/)[A-Za-z0-9_-]{22}(?=$|[/?])/g;
/** An id of an entry of the audit log: a hash in base64url. */
const AUDIT_ID = /^[A-Za-z0-9_-]{43}$/;
/** An API key or its prefix, with its random id. Scanners of secrets find keys by their form: the replacement has another. */
const API_KEY = /^(tby_test_)[0-9A-Za-z]{10}(_[0-9A-Za-z]{38})?$/;
const API_KEY_ID = /^[0-9A-Za-z]{10}$/;
/** A secret of an endpoint. The replacement is too short for one. */
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const TIME = /\b20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z/g;
const QUERY_SECRET = /([?&](?:token|signature|expires)=)[^&]*/g;

const ids = new Map<string, string>();

function cleaned<T>(example: T): T {
  return clean(example, '') as T;
}

function clean(value: unknown, field: string): unknown {
  const replacement = replacements[field];
  if (replacement !== undefined && value !== null) return replacement;
  // A position of orders.list is a cursor; the start of a merchant's record is a time.
  if (field === 'since' && Number.isNaN(Date.parse(String(value)))) return replacements.nextCursor;
  if (field === 'token' && AUDIT_ID.test(String(value))) return replacements.confirmationToken;
  if (field === 'id' && API_KEY_ID.test(String(value))) return ownId(String(value));
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) {
    const isOfObjects = value.some((item) => typeof item === 'object');
    return value.slice(0, isOfObjects ? MAX_OBJECTS : MAX_VALUES).map((item) => clean(item, ''));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one, name)]));
}

function cleanText(text: string): string {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.slice(0, MAX_HEX);
  // A webhook's secret before ids: a slash after 22 characters makes its beginning look like one.
  return text
    .replace(WEBHOOK_SECRET, `whsec_${Buffer.from('example').toString('base64')}`)
    .replace(NONCE, '8b1222ed546d0291a00db4a09614eb29')
    .replace(QUERY_SECRET, '$1example')
    .replace(OWN_ID, ownId)
    .replace(AUDIT_ID, ownId)
    .replace(
      API_KEY,
      (_all, form: string, secret?: string) => `${form}EXAMPLE${secret ? '_not-a-key' : ''}`,
    )
    .replace(TIME, cleanTime);
}

/** The same example for the same id, in the order in which they occur. */
function ownId(id: string): string {
  const known = ids.get(id) ?? `example-${String(ids.size + 1).padStart(4, '0')}`;
  ids.set(id, known);
  return known;
}

/** Times of the database's clock as the time of the recording; times of the API's clock to the minute. */
function cleanTime(time: string): string {
  if (Date.parse(time) > NOW + 366 * 86_400_000) return new Date(NOW).toISOString();
  return time.endsWith('.000Z') ? time : `${time.slice(0, 16)}:00.000Z`;
}
