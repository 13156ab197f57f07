import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cacheOf, compiled, sourcesKnowTheirPlace } from '../../compile.mjs';
import { isPacked, packedPonder } from './packed.mjs';
import { changed, DEFAULT_CACHE_SCHEMA, ownModule } from './patch.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const projectRoot = fileURLToPath(new URL('../../../..', import.meta.url));

/** Packages of many small modules, which are bundled. Not Vite, PGlite and others that need files next to them. */
const BUNDLED =
  /^(viem|abitype|ox|isows|@noble\/[^/]+|@scure\/[^/]+|ponder|@ponder\/[^/]+|graphql|graphql-yoga|@graphql-tools\/[^/]+|@envelop\/[^/]+|@whatwg-node\/[^/]+|@escape\.tech\/[^/]+|kysely|drizzle-orm|prom-client|superjson|dataloader|@opentelemetry\/[^/]+)(\/|$)/;

/** Modules by the names that Ponder gives them. */
const PROJECT_MODULES = {
  'ponder:registry': join(here, 'registry.mjs'),
  'ponder:schema': join(projectRoot, 'ponder.schema.ts'),
};

/** Marks a resolution that `ponderPackagesStay` began. */
const FOUND = 'found';

/**
 * Compiles Ponder with the changes of its patch, if there is a new version of either.
 * @param options.cacheSchema PostgreSQL schema of its cache of RPC responses; default Ponder's own.
 * @param options.folder where the result is cached; default the project's `node_modules/.cache`.
 * @returns the URL to import, which runs Ponder's command line.
 * @throws {Error} if the patch is for another version of Ponder; with the code of the file system if
 *   the folder cannot be written.
 */
export async function compiledPonder(options = {}) {
  const { cacheSchema = DEFAULT_CACHE_SCHEMA, folder = cacheOf(projectRoot) } = options;
  if (!/^[a-z0-9_]+$/.test(cacheSchema)) throw new Error(`${cacheSchema} is no name of a schema`);
  if (isPacked()) return await packedPonder(cacheSchema, folder);
  const path = await compiled(projectRoot, folder, {
    name: cacheSchema,
    files: readdirSync(here).map((file) => relative(projectRoot, join(here, file))),
    esbuild: ponderOptions(
      { cacheSchema, placeOf: (path) => JSON.stringify(pathToFileURL(path).href) },
      ponderPackagesStay,
    ),
  });
  return pathToFileURL(join(path, 'main.mjs'));
}

/**
 * Options of esbuild that compile Ponder for the npm package, which is installed without Ponder: it holds all that it
 * is made of.
 * @param placeOf returns the JavaScript that computes the URL of a source, from its path.
 */
export function packedPonderOptions(placeOf) {
  return ponderOptions({ cacheSchema: DEFAULT_CACHE_SCHEMA, placeOf }, packagesArePacked);
}

/** Folder of the installed Ponder. */
export function ponderFolder() {
  return packageFolder('ponder');
}

function ponderOptions({ cacheSchema, placeOf }, packages) {
  return {
    entryPoints: { main: join(ponderFolder(), 'dist/esm/bin/ponder.js') },
    outExtension: { '.js': '.mjs' },
    target: 'node22',
    // As Node does: without the condition `module`, which others add.
    conditions: [],
    // Some packages are CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      unusedIsEmpty,
      ponderChanged(cacheSchema, placeOf),
      sourcesKnowTheirPlace(placeOf),
      packages,
    ],
  };
}

/** Where a package is installed: npm may install it next to this one. */
function packageFolder(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name);
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
}

/** Changes Ponder's modules, and lets them find their package where it is installed. */
function ponderChanged(cacheSchema, placeOf) {
  return {
    name: 'ponder-changed',
    setup(build) {
      build.onResolve({ filter: /^tributary:/ }, ({ path }) => ({
        path: fileURLToPath(ownModule(path)),
      }));
      // What the project imports by Ponder's own names.
      build.onResolve({ filter: /^ponder:/ }, ({ path }) => ({ path: PROJECT_MODULES[path] }));
      build.onLoad({ filter: /[/\\]node_modules[/\\]ponder[/\\]dist[/\\]/ }, ({ path }) => {
        const [, inPackage] = path.split(/[/\\]node_modules[/\\]ponder[/\\]/);
        const source = readFileSync(path, 'utf8');
        const contents = changed(inPackage.replaceAll('\\', '/'), source, cacheSchema);
        return { contents: contents.replaceAll('import.meta.url', placeOf(path)), loader: 'js' };
      });
    },
  };
}

/**
 * Leaves packages where they are installed, except those of many small modules. Ponder has versions of its own
 * of some, which only its folder finds.
 */
const ponderPackagesStay = {
  name: 'ponder-packages-stay',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      const bundled = kind === 'entry-point' || BUNDLED.test(path);
      if (pluginData === FOUND || bundled) return undefined;
      if (isBuiltin(path)) return { path, external: true };
      const found = await build.resolve(path, { kind, resolveDir, pluginData: FOUND });
      if (found.errors.length > 0) return { path, external: true };
      const isRequired = kind.startsWith('require');
      return { path: isRequired ? found.path : pathToFileURL(found.path).href, external: true };
    });
  },
};

/** Bundles all packages; leaves out those that others ask for and do without. */
const packagesArePacked = {
  name: 'packages-are-packed',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === FOUND || kind === 'entry-point' || isBuiltin(path)) return undefined;
      const found = await build.resolve(path, { kind, resolveDir, pluginData: FOUND });
      return found.errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/** Packages of Ponder that this project never uses: a database in a file, SQL over HTTP, and limits of GraphQL. */
const UNUSED = /^(@electric-sql\/pglite|pg-query-emscripten|@escape\.tech\/graphql-armor-[a-z-]+)$/;

/** Names that Ponder uses while it starts. CommonJS, where a name that is missing is undefined. */
const UNUSED_MODULE = 'exports.PGlite = class PGlite {}; exports.types = {};';

/** Replaces packages that are never used: Ponder would load them at each start. */
const unusedIsEmpty = {
  name: 'unused-is-empty',
  setup(build) {
    build.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: UNUSED_MODULE }));
  },
};
