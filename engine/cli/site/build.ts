import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Language, languages, pageFileOf } from '../../contract/languages.ts';
import { buildForProduction } from '../../env.ts';
import { ignoreMissing } from '../ignore-missing.ts';
import { projectRoot } from '../stack/processes.ts';
import { hashSiteInputs } from './inputs.ts';
import { SITE_FOLDER, STAMP_FILE } from './place.ts';

/** Minimum bytes of a file that is compressed. */
const WORTH_BYTES = 1_024;

/** Quality of brotli, at most 11: the last two levels take ten times as long for a few percent. */
const BROTLI_QUALITY = 9;

/**
 * Builds the site into `web/dist`, with compressed copies of its files, and replaces the old site in
 * one step.
 * @throws {Error} if the sources do not compile.
 */
export async function buildSite(): Promise<void> {
  // Loaded here because it takes more than a second, which every command would pay.
  const { build } = await import('vite');
  buildForProduction();
  const hash = await hashSiteInputs(projectRoot);
  const folder = `${SITE_FOLDER}-building-${process.pid}`;
  try {
    // English last: the manifest that is left is that of its files. Files that are equal in both have one name.
    for (const language of (Object.keys(languages) as Language[]).reverse()) {
      await build({
        configFile: join(projectRoot, 'web', 'vite.config.ts'),
        mode: language,
        logLevel: 'warn',
        build: { outDir: folder, emptyOutDir: false },
      });
      await rename(join(folder, 'index.html'), join(folder, pageFileOf(language)));
    }
    await compressFiles(folder);
    await writeFile(join(folder, STAMP_FILE), hash);
    await changeOver(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function changeOver(folder: string): Promise<void> {
  const old = `${SITE_FOLDER}-old-${process.pid}`;
  await rename(SITE_FOLDER, old).catch(ignoreMissing);
  await rename(folder, SITE_FOLDER);
  await rm(old, { recursive: true, force: true });
}

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** Writes `file.br` and `file.gz` for each text file that is large enough. */
async function compressFiles(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((path) => /[.](js|css|svg)$/.test(path))) {
    const path = join(folder, name);
    const content = await readFile(path);
    if (content.length < WORTH_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    await Promise.all([
      toGzip(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
      toBrotli(content, { params }).then((bytes) => writeFile(`${path}.br`, bytes)),
    ]);
  }
}
