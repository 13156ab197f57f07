import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Method } from './define.ts';
import { methods } from './registry.ts';

const docs = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

const takesConfirmation = ({ input }: Method) =>
  input?.body !== undefined && Object.hasOwn(input.body.shape, 'confirmationToken');

it('documents every method that needs a fresh signature, and no other', () => {
  const [, section = ''] = docs.split('\n## Fresh signatures\n');
  const [text = ''] = section.split('\n## ');
  const listed = [...text.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, name]) => name);
  const needed = methods.filter(takesConfirmation).map(({ name }) => name);
  expect(needed.length).toBeGreaterThan(5);
  expect(listed.sort()).toEqual(needed.sort());
});
