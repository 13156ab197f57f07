import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toRequest } from '../../client/request.ts';
import { type Method, post, resource } from '../../contract/define.ts';
import type { AppEnv } from '../context.ts';
import { failureOf } from '../failures.ts';
import { MAX_FILE_BYTES, MAX_FORM_BYTES } from '../files/read-form.ts';
import { limitBody } from '../security.ts';
import { readInput } from './read-input.ts';

const params = z.strictObject({ id: z.string() });
const facts = { summary: '', output: z.unknown() } as const;

const { upload, remove, order } = resource('x', { about: '', caller: 'public' })({
  upload: post('/v1/x/:id', { ...facts, input: { params, multipart: true } }),
  remove: post('/v1/x/:id', { ...facts, input: { params } }),
  order: post('/v1/x/:id', {
    ...facts,
    idempotencyField: 'orderKey',
    input: { params, body: z.strictObject({ orderKey: z.string() }) },
  }),
});

/** Input that a method reads from a request, or the failure that it answers. */
async function read(method: Method, init: RequestInit): Promise<unknown> {
  const app = new Hono<AppEnv>();
  app.on(method.method, method.path, async (c) => {
    await limitBody(c, MAX_FORM_BYTES);
    const input = new Map(Object.entries((await readInput(c, method)) ?? {}));
    const file = input.get('file');
    if (file instanceof Blob) input.set('file', await file.text());
    return c.json(Object.fromEntries(input));
  });
  app.onError((thrown, c) => {
    const {
      status,
      error: { issues },
    } = failureOf(thrown);
    return c.json({ status, fields: issues?.map(({ path }) => path) ?? [] });
  });
  const response = await app.request('/v1/x/1', { method: method.method, ...init });
  return await response.json();
}

function form(...entries: [string, string | Blob][]): RequestInit {
  const body = new FormData();
  for (const [name, value] of entries) body.append(name, value);
  return { body };
}

const json = { 'content-type': 'application/json' };

describe('readInput', () => {
  it('reads what the client sends', async () => {
    const { headers, body } = toRequest(upload, { id: '1', file: new Blob(['picture']) });
    expect(await read(upload, { headers, body: body ?? null })).toEqual({
      id: '1',
      file: 'picture',
    });
    const request = toRequest(order, { id: '1', orderKey: '0xab' });
    const init = { headers: request.headers, body: request.body ?? null };
    expect(await read(order, init)).toEqual({ id: '1', orderKey: '0xab' });
  });

  it('accepts one file of a form, in the field file, and no other field', async () => {
    const file = new Blob(['x']);
    const refused = (fields: string[]) => ({ status: 400, fields });
    expect(await read(upload, form())).toEqual(refused(['file']));
    expect(await read(upload, form(['file', 'text']))).toEqual(refused(['file']));
    expect(await read(upload, form(['file', file], ['file', file]))).toEqual(refused(['file']));
    expect(await read(upload, form(['file', file], ['name', 'n']))).toEqual(refused(['name']));
    expect(await read(upload, form(['picture', file]))).toEqual(refused(['picture', 'file']));
    expect(await read(upload, { headers: json, body: '{}' })).toEqual({ status: 415, fields: [] });
    const broken = { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: 'x' };
    expect(await read(upload, broken)).toEqual(refused(['']));
  });

  it('accepts a file of the maximum size, and rejects one byte more', async () => {
    const most = new Blob([new Uint8Array(MAX_FILE_BYTES)]);
    const over = new Blob([new Uint8Array(MAX_FILE_BYTES + 1)]);
    expect(await read(upload, form(['file', most]))).toMatchObject({ id: '1' });
    expect(await read(upload, form(['file', over]))).toEqual({ status: 413, fields: [] });
  });

  it('needs the idempotency key as a header, equal to its field', async () => {
    const refused = { status: 400, fields: ['idempotency-key'] };
    const body = '{"orderKey":"a"}';
    expect(await read(order, { headers: json, body })).toEqual(refused);
    const other = { headers: { ...json, 'idempotency-key': 'b' }, body };
    expect(await read(order, other)).toEqual(refused);
    const same = { headers: { ...json, 'idempotency-key': 'a' }, body };
    expect(await read(order, same)).toEqual({ id: '1', orderKey: 'a' });
  });

  it('accepts nothing or an empty object if a write has no fields', async () => {
    expect(await read(remove, {})).toEqual({ id: '1' });
    expect(await read(remove, { headers: json, body: '{}' })).toEqual({ id: '1' });
    const unknown = { headers: json, body: '{"a":1}' };
    expect(await read(remove, unknown)).toEqual({ status: 400, fields: ['a'] });
    expect(await read(remove, { headers: { 'content-type': 'text/plain' }, body: '{}' })).toEqual({
      status: 415,
      fields: [],
    });
  });
});
