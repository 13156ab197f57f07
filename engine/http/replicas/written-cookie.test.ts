import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { SESSION_COOKIE } from '../auth/cookie.ts';
import { seenBy } from './written-cookie.ts';

const session = `${SESSION_COOKIE}=${'a'.repeat(43)}`;
const at = (position: string) => `__Host-tributary-written=${position}`;

it.each([
  ['a client without a session', {}, '0'],
  ['a client that has written without a session', { cookie: at('4711') }, '4711'],
  ['a session that keeps its cookies', { cookie: `${session}; ${at('4711')}` }, '4711'],
  ['a session that keeps no other cookies', { cookie: session }, 'everything'],
  ['a client whose last write has no known position', { cookie: at('unknown') }, 'everything'],
  ['a client with a position that is none', { cookie: at('-1') }, 'everything'],
  ['a client with an API key', { authorization: 'Bearer key', cookie: at('1') }, 'everything'],
])('requires of a replica what %s has written', async (_who, headers, expected) => {
  const app = new Hono().get('/', (c) => c.text(String(seenBy(c))));
  const response = await app.request('/', { headers: headers as Record<string, string> });
  expect(await response.text()).toBe(expected);
});
