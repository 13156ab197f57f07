import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../engine/contract/envelope.ts';
import { methods } from '../../engine/contract/registry.ts';
import { EXAMPLES_FILE, type Example, withoutExample } from '../../engine/http/openapi/examples.ts';
import { failureExamples } from '../../engine/http/openapi/failures.ts';
import { exampleInputs, missingInput, recordExample } from './support/record-example.ts';
import { SampleApi } from './support/sample-api.ts';

/** Largest size of an example and of all of them, bytes of JSON. */
const MAX_EXAMPLE_BYTES = 15_000;
const MAX_BYTES = 320_000;

/** Requests that fail, by the code of their error. */
const failing: readonly ({ code: ErrorCode; path: string } & Pick<
  RequestInit,
  'method' | 'headers'
>)[] = [
  { code: 'VALIDATION_FAILED', path: '/v1/campaigns?limit=1000' },
  { code: 'UNAUTHENTICATED', path: '/v1/me/links' },
  { code: 'NOT_FOUND', path: '/v1/campaigns/999' },
  { code: 'METHOD_UNAVAILABLE', path: '/v1/merchant/signers' },
  {
    code: 'ORIGIN_REJECTED',
    path: '/v1/policies/simulate',
    method: 'POST',
    headers: { origin: 'https://another.example' },
  },
  { code: 'UNSUPPORTED_MEDIA_TYPE', path: '/v1/policies/simulate', method: 'POST' },
];

/** Methods that a deployment can serve. */
const served = methods.filter(({ availability }) => availability !== 'designed');

describe('the recorder of examples for the OpenAPI document', () => {
  let sample: SampleApi;
  const recorded = new Map<string, Example>();

  beforeAll(async () => {
    sample = await SampleApi.open();
  });
  afterAll(() => sample?.close());

  it('knows an input of every live or optional method, and of no other', () => {
    const missing = served.filter(
      ({ name }) => exampleInputs[name] === undefined && !withoutExample.has(name),
    );
    expect(missing.map(({ name }) => missingInput(name))).toEqual([]);
    const names = new Set<string>(served.map(({ name }) => name));
    expect(Object.keys(exampleInputs).filter((name) => !names.has(name))).toEqual([]);
  });

  it('records what the API answers over the sample, as the document shows it', async () => {
    for (const name of Object.keys(exampleInputs)) {
      const method = served.find((one) => one.name === name);
      if (method) recorded.set(name, await recordExample(sample, method));
    }
    const inOrder = served.flatMap(({ name }) => {
      const example = recorded.get(name);
      return example ? [[name, example] as const] : [];
    });
    const text = `${JSON.stringify(Object.fromEntries(inOrder), null, 1)}\n`;
    const tooLarge = inOrder.filter(([, one]) => JSON.stringify(one).length > MAX_EXAMPLE_BYTES);
    expect(tooLarge.map(([name]) => name)).toEqual([]);
    expect(text.length).toBeLessThan(MAX_BYTES);
    await expect(text).toMatchFileSnapshot(fileURLToPath(EXAMPLES_FILE));
  }, 120_000);

  it.each(failing)(
    'finds the error $code as the document shows it',
    async ({ code, path, ...init }) => {
      const headers = { 'x-request-id': 'req-1', ...init.headers };
      const response = await sample.fixture.app().request(path, { ...init, headers });
      const { value } = failureExamples(methods)[code] ?? {};
      expect(await response.json()).toEqual(value);
    },
  );
});
