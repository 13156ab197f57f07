import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type BundleRow, bundleRows } from './coverage.ts';

it('documents for each field by which check a bundle proves it, and what no bundle proves', async () => {
  const page = await readFile(new URL('../../../docs/bundle.md', import.meta.url), 'utf8');
  const [, after = ''] = page.split('## Each field of a receipt\n');
  const [section = ''] = after.split('\n## ');
  const table = section.split('\n').filter((line) => line.startsWith('| '));
  expect(table.slice(2)).toEqual(linesOf(bundleRows()));
});

/** The rows of the table: fields with the same check and the same open part in one. */
function linesOf(rows: readonly BundleRow[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { field, check, open } of rows) {
    const verdict = `${check === undefined ? 'no' : `by \`${check}\``} | ${open ?? '–'}`;
    groups.set(verdict, [...(groups.get(verdict) ?? []), `\`${field}\``]);
  }
  return [...groups].map(([verdict, fields]) => `| ${fields.join(', ')} | ${verdict} |`);
}
