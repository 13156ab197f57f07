import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { ensureSite } from '../../engine/cli/site/ensure.ts';
import { SITE_FOLDER } from '../../engine/cli/site/place.ts';

/** Bytes that a page may take, gzipped, with all that it loads before it is shown. */
const MAX_BYTES = { home: 140_000, receipt: 140_000 };
/** Files of code and styles that a page may load before it is shown. */
const MAX_FILES = 9;
/** All styles are one file, which the manifest lists for no page. */
const STYLES = 'style.css';

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).default([]),
    imports: z.array(z.string()).default([]),
  }),
);

beforeAll(async () => {
  const log = join(inject('sampleFolder'), 'build.log');
  if (!(await ensureSite(log, () => {}))) throw new Error(await readFile(log, 'utf8'));
});

describe('the size of the site', () => {
  it.each([
    ['home', ['index.html', 'src/pages/home/index.tsx']],
    ['receipt', ['index.html', 'src/pages/receipt/index.tsx']],
  ] as const)('loads little for the page %s, code and styles together', async (page, entries) => {
    const text = await readFile(join(SITE_FOLDER, '.vite', 'manifest.json'), 'utf8');
    const manifest = Manifest.parse(JSON.parse(text));
    const files = filesOf(manifest, [...entries, STYLES]);
    expect(files.length).toBeGreaterThan(3);
    expect(files.length).toBeLessThanOrEqual(MAX_FILES);
    const sizes = await Promise.all(files.map(gzipped));
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    expect(total).toBeLessThanOrEqual(MAX_BYTES[page]);
  });

  it('loads graph, charts and verification only when they are opened', async () => {
    const text = await readFile(join(SITE_FOLDER, '.vite', 'manifest.json'), 'utf8');
    const manifest = Manifest.parse(JSON.parse(text));
    const files = filesOf(manifest, ['index.html', 'src/pages/receipt/index.tsx']);
    const late = [
      'receipt/verify/verify-here.tsx',
      'receipt/verify/run.ts',
      'campaign/charts/charts-card.tsx',
      'campaign/index.tsx',
    ];
    for (const source of late) {
      const chunk = manifest[`src/pages/${source}`];
      expect(chunk?.file).toMatch(/[.]js$/);
      expect(files).not.toContain(chunk?.file);
    }
    expect(files.every((file) => existsSync(join(SITE_FOLDER, file)))).toBe(true);
  });
});

async function gzipped(file: string): Promise<number> {
  return gzipSync(await readFile(join(SITE_FOLDER, file)), { level: 9 }).length;
}

/** The files of these entries, and of all that they import statically. */
function filesOf(manifest: z.infer<typeof Manifest>, entries: readonly string[]): string[] {
  const seen = new Set<string>();
  const files = new Set<string>();
  const left = [...entries];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`The manifest has no ${name}.`);
    if (seen.has(name)) continue;
    seen.add(name);
    left.push(...chunk.imports);
    for (const file of [chunk.file, ...chunk.css]) files.add(file);
  }
  return [...files];
}
