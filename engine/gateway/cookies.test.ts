import { expect, it } from 'vitest';
import { cookieFor, cookieNameOf, hasSessionAt, setCookieFrom } from './cookies.ts';

const one = { chainId: 1, contractAddress: `0x${'a'.repeat(40)}` } as const;
const other = { chainId: 1, contractAddress: `0x${'b'.repeat(40)}` } as const;

it('sends each deployment its own session and no cookie of another', () => {
  const header = `theme=dark; ${cookieNameOf(one)}=token-1; ${cookieNameOf(other)}=token-2`;
  expect(cookieFor(one, header)).toBe('__Host-tributary-session=token-1');
  expect(cookieFor(other, header)).toBe('__Host-tributary-session=token-2');
  expect(cookieFor({ ...one, chainId: 2 }, header)).toBeUndefined();
  expect(cookieFor(one, '__Host-tributary-session=direct')).toBeUndefined();
  expect(cookieFor(one, undefined)).toBeUndefined();
});

it('lets a client see at each deployment what it has written there', () => {
  const set = '__Host-tributary-written=4711; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax';
  const stored = setCookieFrom(one, set);
  const name = `__Host-tributary-written-1-${one.contractAddress}`;
  expect(stored).toBe(`${name}=4711; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax`);
  const header = `${name}=4711; ${cookieNameOf(other)}=token-2`;
  expect(cookieFor(one, header)).toBe('__Host-tributary-written=4711');
  expect(cookieFor(one, `${header}; ${cookieNameOf(one)}=token-1`)).toBe(
    '__Host-tributary-session=token-1; __Host-tributary-written=4711',
  );
  expect([one, other].map((each) => hasSessionAt(each, header))).toEqual([false, true]);
  expect(cookieFor(other, header)).toBe('__Host-tributary-session=token-2');
});

it('stores the session of a deployment under its own name, with its own attributes', () => {
  const set =
    '__Host-tributary-session=abc; Max-Age=600; Path=/x; Domain=example.com; SameSite=None';
  expect(setCookieFrom(one, set)).toBe(
    `${cookieNameOf(one)}=abc; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax`,
  );
  expect(setCookieFrom(one, '__Host-tributary-session=; Max-Age=0')).toContain('=; Max-Age=0');
});

it('drops every cookie with which a deployment could reach another one', () => {
  for (const name of [cookieNameOf(other), cookieNameOf(one), 'other']) {
    expect(setCookieFrom(one, `${name}=stolen; Max-Age=60`)).toBeUndefined();
  }
  expect(setCookieFrom(one, '__Host-tributary-session=a b; Max-Age=60')).toBeUndefined();
});
