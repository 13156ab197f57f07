import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { tryPatch } from '../../scripts/ponder/try-patch.ts';

const { patchFile }: { patchFile: URL } = await import(
  new URL('../../engine/cli/stack/ponder/patch.mjs', import.meta.url).href
);
const projectPatch = await readFile(patchFile, 'utf8');

/** Copy of the files of the installed Ponder that the patch changes. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-ponder-'));
  for (const [, file = ''] of projectPatch.matchAll(/^\+\+\+ b\/(.+)$/gm)) {
    await cp(join(projectRoot, 'node_modules', 'ponder', file), join(folder, file));
  }
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Replaces a text of one of Ponder's modules, as a later release might. */
async function release(file: string, text: string, replacement: string): Promise<void> {
  const path = join(folder, 'dist', 'esm', file);
  const source = await readFile(path, 'utf8');
  expect(source).toContain(text);
  await writeFile(path, source.replace(text, replacement));
}

describe('tryPatch', () => {
  it('makes the patch of the project for the pinned Ponder', async () => {
    expect(await tryPatch(folder)).toEqual({ patch: projectPatch, refused: [] });
  });

  it('finds the lines of a release that has moved them', async () => {
    await release('internal/metrics.js', 'import ', '// One more line.\nimport ');
    const { patch, refused } = await tryPatch(folder);
    expect(refused).toEqual([]);
    expect(patch).not.toBe(projectPatch);
    expect(patch).toContain('\n+                eventLoopMonitoringPrecision: 100,\n');
  });

  it('names each change that does not fit, and makes the others', async () => {
    await release('internal/metrics.js', 'eventLoopMonitoringPrecision: 1,', '');
    await rm(join(folder, 'dist', 'esm', 'utils', 'pg.js'));
    const { patch, refused } = await tryPatch(folder);
    expect(refused).toEqual([
      expect.stringMatching(/^dist\/esm\/internal\/metrics\.js:\d+$/),
      'dist/esm/utils/pg.js: No such file or directory',
    ]);
    expect(patch).toContain('tributary:bulk-inserts.mjs');
  });
});
