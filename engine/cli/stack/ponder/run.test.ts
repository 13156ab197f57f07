import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

/** Files that a module loads, itself included: those that it names by a relative path. */
async function loadedBy(url: URL, found = new Set<string>()): Promise<ReadonlySet<string>> {
  if (found.has(url.href)) return found;
  found.add(url.href);
  const code = await readFile(url, 'utf8');
  for (const [, path] of code.matchAll(/^(?:import|export) [^;]*?'([.]{1,2}[/][^']+)'/gms)) {
    await loadedBy(new URL(path ?? '', url), found);
  }
  return found;
}

it('loads JavaScript alone: where the command is installed, Node loads no TypeScript', async () => {
  const loaded = [...(await loadedBy(new URL('./run.mjs', import.meta.url)))];
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter((href) => !href.endsWith('.mjs'))).toEqual([]);
});
