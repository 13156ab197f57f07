import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tokenKinds } from '../tokens/kinds.ts';
import { tableOf } from '../tokens/table.ts';

it('lists each kind of token with what the tests on a chain found', () => {
  const page = readFileSync(new URL('../../docs/reference/tokens.md', import.meta.url), 'utf8');
  const [, ...rows] = page.match(/^\| (?!---|code).*\|$/gm) ?? [];
  expect(rows).toEqual(tableOf(tokenKinds));
});
