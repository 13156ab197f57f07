import { describe, expect, it } from 'vitest';
import { refusalKind, waitMs } from '../../engine/core/rpc-refusal.ts';
import * as ofHistory from '../../src/history/rpc-refusal.ts';
import { RANGE_WORDS, RESULT_WORDS, UNCLEAR_WORDS } from '../support/rpc-traits/limits.ts';
import { RATE_ERRORS } from '../support/rpc-traits/refusals.ts';

const range = { from: 1_000, to: 2_999, blocks: 2_000 };

const refusals = [
  ...RANGE_WORDS.map(({ provider, blocks, code, words }) => ({
    ...{ kind: 'size', code, words: words(range, blocks), provider },
  })),
  ...RESULT_WORDS.map(([provider, code, words]) => ({ kind: 'size', code, words, provider })),
  ...UNCLEAR_WORDS.map(([provider, code, words]) => ({ kind: 'unclear', code, words, provider })),
  ...RATE_ERRORS.map(([code, words]) => ({ kind: 'rate', code, words, provider: 'a limit' })),
  { kind: 'unclear', code: -32_603, words: 'Internal error', provider: 'an error' },
];

describe('a refusal of an RPC', () => {
  it.each(refusals)('reads "$kind" from the words of $provider: $words', (refusal) => {
    expect(refusalKind(refusal)).toBe(refusal.kind);
    expect(ofHistory.refusalKind(refusal)).toBe(refusal.kind);
  });

  it.each([
    [429, 'rate'],
    [413, 'size'],
    [400, 'unclear'],
    [undefined, 'unclear'],
  ])('reads from HTTP status %s without words: %s', (status, kind) => {
    expect(refusalKind({ status })).toBe(kind);
    expect(ofHistory.refusalKind({ status })).toBe(kind);
  });
});

it.each([
  ['seconds', { retryAfter: '120' }, 120_000],
  ['a date', { retryAfter: 'Thu, 01 Jan 1970 00:01:40 GMT' }, 90_000],
  ['a date in the past', { retryAfter: 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  ['a year', { retryAfter: '31536000' }, 300_000],
  ['nonsense', { retryAfter: 'soon' }, 0],
  ['words', { words: 'call rate limit exhausted, retry in 1m5s' }, 65_000],
  ['data', { data: { rate: { backoff_seconds: 30 } } }, 30_000],
  ['nothing', {}, 0],
])('reads the time to wait from %s', (_, said, ms) => {
  expect(waitMs(said, 10_000)).toBe(ms);
  expect(ofHistory.waitMs(said, 10_000)).toBe(ms);
});
