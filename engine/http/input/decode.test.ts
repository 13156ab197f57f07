import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { get, post, put, resource } from '../../contract/define.ts';
import { HttpError } from '../errors.ts';
import { decodeInput } from './decode.ts';

const params = z.strictObject({ id: z.string() });
const facts = { summary: '', output: z.unknown() } as const;
const things = resource('x', { about: '', caller: 'public' });

const { read, write, save, total } = things({
  read: get('/v1/x/:id', {
    ...facts,
    input: {
      params,
      query: z.strictObject({
        count: z.int().optional(),
        flag: z.boolean().optional(),
        ids: z.array(z.string()).optional(),
        range: z.strictObject({ from: z.string() }).optional(),
      }),
    },
  }),
  write: post('/v1/x/:id', {
    ...facts,
    input: {
      params,
      body: z.strictObject({ name: z.string(), limits: z.strictObject({ daily: z.int() }) }),
    },
  }),
  save: put('/v1/x/:id', {
    ...facts,
    input: {
      params,
      body: z.strictObject({ id: z.string(), title: z.string() }),
      payload: 'thing',
    },
  }),
  total: get('/v1/x', {
    ...facts,
    input: {
      query: z.strictObject({ counts: z.array(z.int()).optional() }),
      narrowed: { path: '/v1/y/:id/x', params },
    },
  }),
});

function issuesOf(work: () => unknown): { path: string; message: string }[] {
  try {
    work();
  } catch (error) {
    if (error instanceof HttpError) return [...error.issues];
    throw error;
  }
  return [];
}

function decodeQuery(text: string) {
  return decodeInput(read, { params: { id: '1' }, query: new URLSearchParams(text) });
}

describe('decodeInput', () => {
  it('reads query text as the type that the schema names, and joins the parts', () => {
    expect(decodeQuery('count=-12&flag=false&ids=a,b&range={"from":"x"}')).toEqual({
      id: '1',
      count: -12,
      flag: false,
      ids: ['a', 'b'],
      range: { from: 'x' },
    });
    expect(decodeQuery('')).toEqual({ id: '1' });
  });

  it('names every wrong field once', () => {
    const paths = (text: string) => issuesOf(() => decodeQuery(text)).map(({ path }) => path);
    expect(paths('count=1e3')).toEqual(['count']);
    expect(paths('count=99999999999999999999')).toEqual(['count']);
    expect(paths('flag=1&range={&other=1')).toEqual(['flag', 'range', 'other']);
    expect(paths('range={"from":1,"to":2}')).toEqual(['range.from', 'range.to']);
    expect(paths('count=1&count=2')).toEqual(['count']);
    expect(paths('__proto__=1&constructor=2')).toEqual(['__proto__', 'constructor']);
  });

  it('accepts a body as it is, and rejects a wrapper and any query', () => {
    const body = { name: 'n', limits: { daily: 1 } };
    const raw = { params: { id: '1' }, query: new URLSearchParams() };
    expect(decodeInput(write, { ...raw, body })).toEqual({ id: '1', ...body });
    const paths = (other: object) =>
      issuesOf(() => decodeInput(write, { ...raw, body, ...other })).map(({ path }) => path);
    expect(paths({ body: { id: '1', thing: body } })).toEqual(['name', 'limits', 'id', 'thing']);
    expect(paths({ body: undefined })).toEqual(['']);
    expect(paths({ query: new URLSearchParams('a=1') })).toEqual(['a']);
  });

  it('reads a nested payload by its name, and refuses a wrapper object', () => {
    const raw = { params: { id: '1' }, query: new URLSearchParams() };
    const thing = { id: '2', title: 't' };
    expect(decodeInput(save, { ...raw, body: thing })).toEqual({ id: '1', thing });
    const issues = issuesOf(() => decodeInput(save, { ...raw, body: { id: '2', thing } }));
    expect(issues.map(({ path }) => path)).toEqual(['title', 'thing']);
  });

  it('uses the narrower path if its placeholders were provided', () => {
    const query = new URLSearchParams('counts=1,2');
    expect(decodeInput(total, { params: {}, query })).toEqual({ counts: [1, 2] });
    expect(decodeInput(total, { params: { id: '3' }, query })).toEqual({ id: '3', counts: [1, 2] });
  });

  it('refuses fields in the body of a write that takes none', () => {
    const remove = { ...total, name: 'x.remove', method: 'DELETE', input: {} } as const;
    const raw = { params: {}, query: new URLSearchParams() };
    expect(decodeInput(remove, { ...raw, body: {} })).toEqual({});
    expect(issuesOf(() => decodeInput(remove, { ...raw, body: { a: 1 } }))).toEqual([
      { path: 'a', message: 'is not a field of this method' },
    ]);
  });
});

describe('the sentences of issues', () => {
  const schemas = {
    text: z.string(),
    number: z.number().min(2).max(5),
    below: z.number().lt(3),
    whole: z.int(),
    flag: z.boolean(),
    list: z.array(z.string()).max(2),
    short: z.string().min(1).max(3),
    choice: z.enum(['a', 'b']),
    only: z.literal('x'),
    mail: z.email(),
    moment: z.iso.datetime(),
    shape: z.strictObject({ from: z.string() }),
    either: z.union([z.int(), z.boolean()]),
  };
  it.each([
    ['text', undefined, 'is missing'],
    ['text', 1, 'must be text'],
    ['number', 'x', 'must be a number'],
    ['number', 6, 'must be at most 5'],
    ['number', 1, 'must be at least 2'],
    ['below', 3, 'must be less than 3'],
    ['whole', 1.5, 'must be a whole number'],
    ['flag', 'yes', 'must be true or false'],
    ['list', 'x', 'must be a list'],
    ['list', ['a', 'b', 'c'], 'must have at most 2 items'],
    ['short', '', 'must have at least 1 character'],
    ['short', 'abcd', 'must have at most 3 characters'],
    ['choice', 'c', 'must be one of a, b'],
    ['choice', undefined, 'is missing'],
    ['only', 'y', 'must be x'],
    ['mail', 'x', 'must be an e-mail address'],
    ['moment', 'x', 'must be a time in ISO 8601, such as 2026-01-31T12:00:00Z'],
    ['shape', 'x', 'must be an object, in a query as JSON'],
    ['either', 'x', 'has none of the forms that it may have'],
  ] as const)('says what would be right for %s: %j', (field, value, message) => {
    const body = z.strictObject({ [field]: schemas[field] });
    const { one: method } = things({ one: post('/v1/x', { ...facts, input: { body } }) });
    const query = new URLSearchParams();
    const issues = issuesOf(() =>
      decodeInput(method, { params: {}, query, body: { [field]: value } }),
    );
    expect(issues).toEqual([{ path: field, message }]);
  });
});
