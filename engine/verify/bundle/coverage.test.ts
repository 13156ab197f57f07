import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { bundleRowGroups } from './coverage.ts';

it('documents for each field by which check a bundle proves it, and what no bundle proves', async () => {
  const page = await readFile(
    new URL('../../../docs/reference/bundle.md', import.meta.url),
    'utf8',
  );
  const [, after = ''] = page.split('## Each field of a receipt\n');
  const [section = ''] = after.split('\n## ');
  const table = section.split('\n').filter((line) => line.startsWith('| '));
  expect(table.slice(2)).toEqual(
    bundleRowGroups().map(({ fields, check, open = '–' }) => {
      const names = fields.map((field) => `\`${field}\``).join(', ');
      return `| ${names} | ${check === undefined ? 'no' : `by \`${check}\``} | ${open} |`;
    }),
  );
});
