import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NoAnswer, readAnswer } from './answers.ts';

const identity = { chainId: 8453, contractAddress: `0x${'c'.repeat(40)}` } as const;
const output = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), chainId: z.int().optional() })),
});
const meta = { requestId: 'r' };

function read(body: unknown, status = 200) {
  return readAnswer({ status, body: JSON.stringify(body) }, output, identity);
}

function codeOf(body: unknown, status = 200): string {
  try {
    read(body, status);
  } catch (error) {
    if (error instanceof NoAnswer) return error.code;
    throw error;
  }
  return 'none';
}

describe('readAnswer', () => {
  it('drops the fields of a newer version', () => {
    const body = {
      data: { items: [{ id: '1', newer: { chainId: 1 } }], more: 1 },
      meta: { ...meta, x: 1 },
    };
    expect(read(body)).toEqual({ data: { items: [{ id: '1' }] }, meta });
  });

  it('rejects data of another form, and text that is no JSON', () => {
    expect(codeOf({ data: { items: [{ id: 1, newer: 2 }] }, meta })).toBe('BAD_RESPONSE');
    expect(codeOf({ data: { items: 'none' }, meta })).toBe('BAD_RESPONSE');
    expect(codeOf({ data: { items: [] } })).toBe('BAD_RESPONSE');
    expect(codeOf('<html>', 502)).toBe('BAD_RESPONSE');
  });

  it('rejects an answer about another chain, in its items or its meta', () => {
    expect(codeOf({ data: { items: [{ id: '1', chainId: 8453 }] }, meta })).toBe('none');
    expect(codeOf({ data: { items: [{ id: '1', chainId: 1 }] }, meta })).toBe('WRONG_DEPLOYMENT');
    const chain = {
      chainId: 1,
      blockNumber: '1',
      blockTimestamp: '2026-01-01T00:00:00Z',
      finality: 'safe',
    };
    expect(codeOf({ data: { items: [] }, meta: { ...meta, chain } })).toBe('WRONG_DEPLOYMENT');
  });

  it('passes the code of an error on', () => {
    const error = { code: 'NOT_READY', message: 'Nothing is settled yet.', requestId: 'r' };
    expect(codeOf({ error }, 503)).toBe('NOT_READY');
  });
});
