// Compiles the `tributary` command to JavaScript, once for each state of its sources. Loading some
// hundred TypeScript files and viem's thousand modules one by one costs seconds at each start, and
// each worker and API process starts; a few files cost a fraction of one. Ponder is compiled likewise.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const inputsFile = 'inputs.json';

/** Packages of many small modules, which are bundled; others are loaded as installed. */
const BUNDLED = /^(viem|abitype|ox|zod|hono|@noble\/[^/]+|@scure\/[^/]+)(\/|$)/;

/** Milliseconds for which a process may still load parts of older compiled files. */
const MAX_AGE_MS = 24 * 60 * 60 * 1_000;

/**
 * Compiles `engine/cli/main.ts` of a project if a source has changed since.
 * @param root the project's root folder; the result is cached in its `node_modules/.cache`.
 * @returns the URL to import.
 * @throws {Error} with the code of the file system if the cache cannot be written.
 */
export async function compiledCommand(root = projectRoot) {
  const path = await compiled(root, cacheOf(root), {
    name: 'cli',
    files: [],
    esbuild: commandOptions((source) => JSON.stringify(pathToFileURL(source).href)),
  });
  return pathToFileURL(join(path, 'main.js'));
}

/**
 * Options of esbuild that compile `engine/cli/main.ts`, in addition to `esbuildOptions`.
 * @param placeOf returns the JavaScript that computes the URL of a source, from its path.
 */
export function commandOptions(placeOf) {
  return {
    entryPoints: ['engine/cli/main.ts'],
    target: 'node22',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [packagesStay, sourcesKnowTheirPlace(placeOf)],
  };
}

/** Options of esbuild for all that runs in Node. */
export function esbuildOptions(root, outdir) {
  return {
    absWorkingDir: root,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    logLevel: 'error',
  };
}

/** True if the error says that a folder cannot be written. */
export function isReadOnly(error) {
  // Node reports several missing folders of a read-only file system as ENOENT.
  const isFolderMissing = error.code === 'ENOENT' && error.syscall === 'mkdir';
  return isFolderMissing || ['EACCES', 'EPERM', 'EROFS'].includes(error.code);
}

/** Folder of everything compiled. */
export function cacheOf(root) {
  return join(root, 'node_modules', '.cache', 'tributary');
}

/**
 * Finds compiled files that are up to date, or makes them.
 * @param folder where results are cached.
 * @param job `name` of the result, options of `esbuild`, and `files` on which it depends in addition to
 *   the sources and the installed packages.
 * @returns the path of the folder with the files.
 */
export async function compiled(root, folder, job) {
  const path = compiledFolders(folder, job.name).find((found) => isCurrent(root, found));
  if (path === undefined) return await compile(root, folder, job);
  markUsed(path);
  return path;
}

/** Results of a job, newest first. */
function compiledFolders(folder, name) {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder)
    .filter(
      (found) => found.startsWith(`${name}-`) && /^[0-9a-f]+$/.test(found.slice(name.length + 1)),
    )
    .map((found) => join(folder, found));
  return paths.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
}

/** Keeps what is used from being removed. In a read-only installation, nothing is. */
function markUsed(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {}
}

/** True if no input has changed, by time and size. */
function isCurrent(root, path) {
  const { stamp, files } = JSON.parse(readFileSync(join(path, inputsFile), 'utf8'));
  return stamp === stampOf(root, files);
}

/** One line that identifies the inputs and the compiler. */
function stampOf(root, files) {
  const hash = createHash('sha256').update(`${root}\0${process.version}\0`);
  // npm gives all files of a package the same time, but another version.
  hash.update(readFileSync(join(root, 'package.json')));
  for (const file of files) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.mtimeMs}\0${stat?.size}\0`);
  }
  return hash.digest('hex');
}

let stopCompiler = async () => {};

/**
 * Ends the process of esbuild, if this one has compiled something: it would stay, with up to 190 MiB, as long as this
 * one runs.
 */
export async function endCompiler() {
  await stopCompiler();
}

async function compile(root, folder, { name, files: more, esbuild }) {
  const { build, stop } = await import('esbuild');
  stopCompiler = stop;
  mkdirSync(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, 'draft-'));
  const { metafile } = await build({ ...esbuildOptions(root, draft), ...esbuild });
  // In the npm package, other packages are next to it.
  const sources = Object.keys(metafile.inputs).filter((file) => !/node_modules\/|^\.\./.test(file));
  const own = relative(root, fileURLToPath(import.meta.url));
  const files = [...new Set([...sources, ...more, 'package-lock.json', own])];
  const stamp = stampOf(root, files);
  await writeFile(join(draft, inputsFile), JSON.stringify({ stamp, files }));
  // Without it, Node parses each file twice to find out.
  await writeFile(join(draft, 'package.json'), JSON.stringify({ type: 'module' }));
  const path = join(folder, `${name}-${stamp.slice(0, 16)}`);
  // Another process may have compiled the same result meanwhile.
  await rename(draft, path).catch((error) => {
    rmSync(draft, { recursive: true });
    if (!existsSync(path)) throw error;
  });
  forgetOld(folder, path);
  return path;
}

/** Removes older results that no process has started with for a while, and parts of killed processes. */
function forgetOld(folder, newest) {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (path === newest || stat === undefined || Date.now() - stat.mtimeMs < MAX_AGE_MS) continue;
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

/** Makes a source find files next to it (migrations, hooks) in its own folder, not in that of the result. */
export function sourcesKnowTheirPlace(placeOf) {
  return {
    name: 'sources-know-their-place',
    setup(build) {
      build.onLoad({ filter: /[/\\]engine[/\\].*[.]ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        return { contents: source.replaceAll('import.meta.url', placeOf(path)), loader: 'ts' };
      });
    },
  };
}
