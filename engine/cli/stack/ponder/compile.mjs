import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cacheOf, compiled, sourcesKnowTheirPlace } from '../../compile.mjs';
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
  const path = await compiled(projectRoot, folder, {
    name: cacheSchema,
    files: readdirSync(here).map((file) => relative(projectRoot, join(here, file))),
    esbuild: {
      entryPoints: {
        main: join(packageFolder('ponder'), 'dist/esm/bin/ponder.js'),
      },
      outExtension: { '.js': '.mjs' },
      target: 'node22',
      // As Node does: without the condition `module`, which others add.
      conditions: [],
      // Some packages are CommonJS.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      plugins: [
        ponderChanged(cacheSchema),
        sourcesKnowTheirPlace((path) => JSON.stringify(pathToFileURL(path).href)),
        ponderPackagesStay,
      ],
    },
  });
  return pathToFileURL(join(path, 'main.mjs'));
}

/** Where a package is installed: npm may install it next to this one. */
function packageFolder(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name);
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(folder));
}

/** Changes Ponder's modules, and lets them find their package where it is installed. */
function ponderChanged(cacheSchema) {
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
        const place = JSON.stringify(pathToFileURL(path).href);
        const contents = changed(inPackage.replaceAll('\\', '/'), source, cacheSchema);
        return { contents: contents.replaceAll('import.meta.url', place), loader: 'js' };
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
