import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import config from '../../vitest.config.ts';

const page = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8');

const NUMBERS = ['Zero', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];

describe('CONTRIBUTING.md', () => {
  it('states the number of workers that vitest.config.ts has', () => {
    const workers = NUMBERS[Number(config.test?.maxWorkers)];
    expect(page).toContain(`- ${workers} workers share the files`);
  });

  it('lists each program without which tests are skipped', async () => {
    const [, table = ''] = page.split('| missing | what is skipped |');
    const programs = table
      .slice(0, table.indexOf('\n\n'))
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
      .map(([, name = '']) => name);
    const needed = new Set<string>();
    const folder = join(projectRoot, 'test');
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(join(folder, file), 'utf8');
      // Programs that tests look for, before they decide to be skipped.
      for (const [, name = ''] of text.matchAll(
        /spawnSync\('([a-z0-9-]+)', \[[^\]]*\b(?:version|list)\b/g,
      )) {
        needed.add(name);
      }
      const [, tools = ''] = /^const TOOLS = \[(.*)\];$/m.exec(text) ?? [];
      for (const [, name = ''] of tools.matchAll(/'([^']+)'/g)) needed.add(name);
    }
    expect([...needed]).toEqual(expect.arrayContaining(['caddy', 'go', 'debootstrap']));
    // Every Linux has these.
    const common = new Set(['mount', 'nsenter']);
    expect([...needed].filter((name) => !common.has(name) && !programs.includes(name))).toEqual([]);
  });
});
