import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { checkNames, fieldRows } from './receipt-coverage.ts';

it('documents for each field by which check it is compared, or why by none', async () => {
  const page = await readFile(new URL('../../docs/reference/api.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  for (const { field, check, reason } of fieldRows()) {
    const verdict = check === undefined ? `| no. ${reason} |` : `| by \`${check}\` |`;
    const row = rows.find((line) => line.includes(`\`${field}\``) && line.endsWith(verdict));
    expect(row, field).toBeDefined();
  }
});

it('documents each check', async () => {
  const page = await readFile(new URL('../../docs/reference/api.md', import.meta.url), 'utf8');
  for (const name of checkNames) expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\| `, 'm'));
});

it('compares a field by every check but the one of the block itself', () => {
  const used = new Set(fieldRows().map(({ check }) => check));
  for (const name of checkNames) expect([name, used.has(name)]).toEqual([name, name !== 'age']);
});
