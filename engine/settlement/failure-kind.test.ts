import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FactError } from '../core/events.ts';
import { PostgresError } from '../db/connection.ts';
import { type FailureKind, failureKind, failureReason, TryAgainError } from './failure-kind.ts';

function databaseError(code: string): Error {
  return Object.assign(new PostgresError('refused'), { code });
}

function networkError(code: string): Error {
  return Object.assign(new Error('away'), { code });
}

function thrownBy(parse: () => unknown): Error {
  try {
    parse();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

const cases: readonly [Error, FailureKind][] = [
  ...['22003', '22P05', '22021', '23502', '23505', '23514', '54000'].map(
    (code): [Error, FailureKind] => [databaseError(code), 'data'],
  ),
  ...[
    '08006',
    '25006',
    '25P02',
    '40001',
    '40P01',
    '42P01',
    '53100',
    '53200',
    '53300',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '58030',
  ].map((code): [Error, FailureKind] => [databaseError(code), 'transient']),
  ...['42703', '42501', 'XX000', 'XX001', 'P0001', '0A000'].map((code): [Error, FailureKind] => [
    databaseError(code),
    'bug',
  ]),
  ...[
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECT_TIMEOUT',
    'ECONNREFUSED',
    'EPIPE',
    'ETIMEDOUT',
  ].map((code): [Error, FailureKind] => [networkError(code), 'transient']),
  [new FactError('unknown event'), 'data'],
  [new RangeError('Invalid time value'), 'data'],
  [new TypeError('undefined is not an object'), 'data'],
  [thrownBy(() => z.string().parse(1)), 'data'],
  [new TypeError('fetch failed', { cause: networkError('ECONNRESET') }), 'transient'],
  [new TryAgainError('the indexer changed'), 'transient'],
  [new Error('an invariant of ours'), 'bug'],
];

describe('failureKind', () => {
  it.each(cases)('maps %s to %s', (error, kind) => {
    expect(failureKind(error)).toBe(kind);
  });

  it('returns bug if the thrown value is not an error', () => {
    expect(failureKind('a text')).toBe('bug');
  });
});

describe('failureReason', () => {
  it('returns one line that PostgreSQL can store, with the error code', () => {
    const error = Object.assign(new Error('a\0b\n\ud800'), { code: '22021' });
    expect(failureReason(error)).toBe('a\uFFFDb \uFFFD (22021)');
    expect(failureReason(new Error('x'.repeat(9_000))).length).toBeLessThan(600);
  });
});
