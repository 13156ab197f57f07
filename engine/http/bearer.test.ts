import { describe, expect, it } from 'vitest';
import { bearerToken, isAuthorized } from './bearer.ts';

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc', 'abc'],
    ['BEARER a b', 'a b'],
    ['Bearer ', ''],
    ['Bearer', undefined],
    ['Basic abc', undefined],
    ['xBearer abc', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

describe('isAuthorized', () => {
  it('accepts the token alone', () => {
    expect(isAuthorized('Bearer secret', 'secret')).toBe(true);
    for (const header of [
      undefined,
      '',
      'secret',
      'Basic secret',
      'Bearer Secret',
      'Bearer secre',
    ]) {
      expect(isAuthorized(header, 'secret'), String(header)).toBe(false);
    }
  });

  it('accepts every header if no token is required', () => {
    for (const header of [undefined, 'Bearer x'])
      expect(isAuthorized(header, undefined)).toBe(true);
  });
});
