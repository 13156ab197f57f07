import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Method } from './define.ts';
import { methods } from './registry.ts';
import { scopeOf } from './scopes.ts';

const docs = readFileSync(new URL('../../docs/reference/api.md', import.meta.url), 'utf8');

const takesConfirmation = ({ input }: Method) =>
  input.body !== undefined && Object.hasOwn(input.body.shape, 'confirmationToken');

it('documents every method that needs a fresh signature, and no other', () => {
  const [, section = ''] = docs.split('\n## Fresh signatures\n');
  const [text = ''] = section.split('\n## ');
  const listed = [...text.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, name]) => name);
  const needed = methods.filter(takesConfirmation).map(({ name }) => name);
  expect(needed.length).toBeGreaterThan(5);
  expect(listed.sort()).toEqual(needed.sort());
});

describe('methods that change rights', () => {
  const teams = readFileSync(new URL('../../docs/use/teams.md', import.meta.url), 'utf8');
  const changing = methods.filter(({ rights }) => rights !== undefined);

  it('accept a fresh signature if they widen rights, and let the client ask for it', () => {
    const widening = changing.filter(
      ({ rights, availability }) => rights !== 'narrows' && availability !== 'designed',
    );
    expect(widening.length).toBeGreaterThan(7);
    for (const { name, input } of widening) {
      const field = input.body?.shape.confirmationToken;
      // If the field were required, a call without it would be a 400, and the wallet would never be asked.
      expect(field?.safeParse(undefined).success, name).toBe(true);
    }
  });

  it('lets a method that takes a signature be called without it, so that the client asks for it', () => {
    for (const { name, input } of methods.filter(takesConfirmation)) {
      const field = input.body?.shape.confirmationToken;
      expect(field?.safeParse(undefined).success, name).toBe(true);
    }
  });

  it('gives no API key a scope for them', () => {
    for (const method of changing) expect(scopeOf(method), method.name).toBeUndefined();
  });

  it('equal the table in docs/use/teams.md', () => {
    const [, section = ''] = teams.split('\n### Changes of rights\n');
    const [text = ''] = section.split('\nThe table is of the methods');
    const listed = [
      ...text.matchAll(/^\| `(\w+\.\w+)` \| (widens|narrows)(, if it sets `(\w+)`)?/gm),
    ];
    const rows = listed.map(([, name, kind, , field]) => [
      name,
      field ? { widensBy: [field] } : kind,
    ]);
    const declared = changing.map(({ name, rights }) => [name, rights]);
    expect(rows.sort()).toEqual(declared.sort());
  });

  it('names in docs/use/teams.md all other methods that no key may call', () => {
    const [, sentence = ''] = teams.match(/- \*\*No key may\*\* (.*?)\n- /s) ?? [];
    const named = [...sentence.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    for (const method of methods.filter(({ access }) => access === 'session')) {
      const [resource = ''] = method.name.split('.');
      const isNamed = named.includes(resource) || named.includes(method.name);
      const isClosed = scopeOf(method) === undefined;
      expect([method.name, isClosed], method.name).toEqual([
        method.name,
        isNamed || method.rights !== undefined,
      ]);
    }
  });
});
