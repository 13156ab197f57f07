// Compiles the `tributary` command to JavaScript, once for each state of its sources. Loading some
// hundred TypeScript files and viem's thousand modules one by one costs seconds at each start, and
// each worker and API process starts; a few files cost a fraction of one.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const inputsFile = 'inputs.json';

/** Packages of many small modules, which are bundled; others are loaded as installed. */
const BUNDLED = /^(viem|abitype|ox|zod|hono|@noble\/[^/]+|@scure\/[^/]+)(\/|$)/;

/** Milliseconds for which a process may still load parts of an older compiled command. */
const KEPT_FOR = 24 * 60 * 60 * 1_000;

/**
 * Compiles `engine/cli/main.ts` of a project if a source has changed since.
 * @param root the project's root folder; the result is cached in its `node_modules/.cache`.
 * @returns the URL to import.
 * @throws {Error} with the code of the file system if the cache cannot be written.
 */
export async function compiledCommand(root = projectRoot) {
  const folder = join(root, 'node_modules', '.cache', 'tributary');
  const current = compiledFolders(folder).find((path) => isCurrent(root, path));
  return pathToFileURL(join(current ?? (await compile(root, folder)), 'main.js'));
}

/** Compiled commands, newest first. */
function compiledFolders(folder) {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder)
    .filter((name) => /^cli-[0-9a-f]+$/.test(name))
    .map((name) => join(folder, name));
  return paths.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
}

/** True if no input has changed, by time and size. */
function isCurrent(root, path) {
  const { stamp, files } = JSON.parse(readFileSync(join(path, inputsFile), 'utf8'));
  return stamp === stampOf(root, files);
}

/** One line that identifies the inputs and the compiler. */
function stampOf(root, files) {
  const hash = createHash('sha256').update(`${root}\0${process.version}\0`);
  for (const file of files) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.mtimeMs}\0${stat?.size}\0`);
  }
  return hash.digest('hex');
}

async function compile(root, folder) {
  const { build } = await import('esbuild');
  mkdirSync(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, 'draft-'));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['engine/cli/main.ts'],
    outdir: draft,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'error',
    plugins: [packagesStay, sourcesKnowTheirPlace],
  });
  const sources = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
  const files = [...sources, 'package-lock.json', relative(root, fileURLToPath(import.meta.url))];
  const stamp = stampOf(root, files);
  await writeFile(join(draft, inputsFile), JSON.stringify({ stamp, files }));
  const path = join(folder, `cli-${stamp.slice(0, 16)}`);
  // Another process may have compiled the same result meanwhile.
  await rename(draft, path).catch((error) => {
    rmSync(draft, { recursive: true });
    if (!existsSync(path)) throw error;
  });
  forgetOld(folder, path);
  return path;
}

/** Removes older commands, and partial results of killed processes. */
function forgetOld(folder, newest) {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (path === newest || stat === undefined || Date.now() - stat.mtimeMs < KEPT_FOR) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

/** Leaves packages to be resolved at run time, except those of many small modules. */
const packagesStay = {
  name: 'packages-stay',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || BUNDLED.test(path) ? undefined : { path, external: true },
    );
  },
};

/** Makes a source find files next to it (migrations, hooks) in its own folder, not in the cache. */
const sourcesKnowTheirPlace = {
  name: 'sources-know-their-place',
  setup(build) {
    build.onLoad({ filter: /[/\\]engine[/\\].*[.]ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const place = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll('import.meta.url', place), loader: 'ts' };
    });
  },
};
