import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { buildSite } from '../../engine/cli/site/build.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { externalImports } from './library.ts';
import {
  baseManifest,
  bin,
  dependenciesOf,
  description,
  packageOf,
  projectDependencies,
} from './manifest.ts';
import { run } from './run.ts';
import { command } from './table.ts';

/** `compile.mjs` runs where nothing is installed, so it has no types. */
const { commandOptions, esbuildOptions }: Compile = await import(
  new URL('../../engine/cli/compile.mjs', import.meta.url).href
);

type Compile = {
  readonly commandOptions: (placeOf: (source: string) => string) => BuildOptions;
  readonly esbuildOptions: (root: string, outdir: string) => BuildOptions;
};

/** Files that the compiled command reads or runs, in the layout of the project. */
const SHIPPED = [
  // Migrations, recorded examples, hooks and changes of Ponder.
  /^engine\/.*(?<!\.ts)$/,
  // The project that Ponder runs.
  /^src\/.*\.ts$/,
  /^ponder\.(config|schema)\.ts$/,
  /^abis\/referralCommerce\.ts$/,
  /^scripts\/(tributary|node-version)\.mjs$/,
  // The deployment kit: units, proxy, rules of alerts.
  /^deploy\//,
  // The pages that units and alerts refer to.
  /^docs\/.*\.md$/,
];

/** Import of a package in a source. */
const IMPORT = /\b(?:from|import\() ?'([^']+)'/g;

/** Packages that other packages load by name, such as peers, are needed as much as imported ones. */
const needed = Object.keys(projectDependencies).filter(
  (name) => ![...command.withoutDependencies, ...command.optional].some((one) => one === name),
);

/** Writes the package of the command into a folder: compiled, with the built site. */
export async function writeCommand(folder: string): Promise<void> {
  await buildSite();
  await cp(join(projectRoot, 'web', 'dist'), join(folder, 'web', 'dist'), { recursive: true });
  const { metafile } = await build({
    ...esbuildOptions(projectRoot, join(folder, 'compiled')),
    ...commandOptions(placeInPackage),
    metafile: true,
  });
  const listed = await run('git', ['ls-files', '-co', '--exclude-standard'], projectRoot);
  const matching = listed
    .split('\n')
    .filter((file) => SHIPPED.some((pattern) => pattern.test(file)));
  const files = new Set([...matching, ...(await sourcesBehind(matching))]);
  const imported = externalImports(metafile);
  for (const file of files) {
    const text = await readFile(join(projectRoot, file), 'utf8');
    // In a clone, `tributary.mjs` runs the sources if it cannot compile them.
    if (/\.(ts|mjs)$/.test(file) && file !== 'scripts/tributary.mjs') {
      for (const [, specifier = ''] of text.matchAll(IMPORT)) imported.push(specifier);
    }
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const dependencies = dependenciesOf(needed);
  const missing = imported.filter((path) => !isBuiltin(path) && !isAvailable(path, dependencies));
  if (missing.length > 0) throw new Error(`${command.name} imports ${missing.join(', ')}.`);
  const manifest = {
    ...baseManifest(command.name),
    sideEffects: true,
    description,
    keywords: command.keywords,
    bin,
    exports: { './package.json': './package.json' },
    dependencies,
    peerDependencies: dependenciesOf(command.optional),
    peerDependenciesMeta: Object.fromEntries(
      command.optional.map((name) => [name, { optional: true }]),
    ),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Sources that the shipped modules of `engine` import: an installation compiles them together with Ponder. */
async function sourcesBehind(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: files.filter((file) => /^engine\/.*\.mjs$/.test(file)),
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm' },
    ...{ write: false, outdir: 'unused', metafile: true },
  });
  return Object.keys(metafile.inputs);
}

/** True if the package of an import is installed with this one. */
function isAvailable(specifier: string, dependencies: Readonly<Record<string, string>>): boolean {
  const name = packageOf(specifier);
  return name === undefined || name in dependencies;
}

/** JavaScript of the URL of a source in the package, where all compiled files are in one folder. */
function placeInPackage(source: string): string {
  const path = relative(projectRoot, source).split(sep).join('/');
  return `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`;
}
