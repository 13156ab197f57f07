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
const { packedPonderOptions, ponderFolder }: CompilePonder = await import(
  new URL('../../engine/cli/stack/ponder/compile.mjs', import.meta.url).href
);

type Compile = {
  readonly commandOptions: (placeOf: (source: string) => string) => BuildOptions;
  readonly esbuildOptions: (root: string, outdir: string) => BuildOptions;
};

type CompilePonder = {
  readonly packedPonderOptions: (placeOf: (source: string) => string) => BuildOptions;
  readonly ponderFolder: () => string;
};

/** Files that the compiled command reads or runs, in the layout of the project. */
const SHIPPED = [
  // Migrations, recorded examples, hooks and changes of Ponder.
  /^engine\/.*(?<!\.ts)$/,
  // The project that Ponder runs: its hash names the schema that it writes.
  /^src\/.*\.ts$/,
  /^ponder\.(config|schema)\.ts$/,
  /^abis\/referralCommerce\.ts$/,
  /^scripts\/(tributary|node-version)\.mjs$/,
  // The deployment kit: units, proxy, rules of alerts.
  /^deploy\//,
  // The pages that units and alerts refer to.
  /^docs\/.*\.md$/,
];

/** Packages that those of Ponder try to load, and do without. */
const OPTIONAL_OF_PONDER = new Set(['bufferutil', 'pg-native', 'utf-8-validate']);

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
  const imported = [...externalImports(metafile), ...(await writePonder(folder))];
  for (const file of matching) {
    const text = await readFile(join(projectRoot, file), 'utf8');
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

/**
 * Writes Ponder with the project that it runs, compiled, and its manifest, which has its version.
 * @returns modules that it imports and does not contain, except those that it does without.
 */
async function writePonder(folder: string): Promise<string[]> {
  const target = join(folder, 'compiled', 'ponder');
  const ponder = ponderFolder();
  const placeOf = (source: string) => {
    const inPonder = relative(ponder, source);
    const isPonders = !inPonder.startsWith('..');
    const path = isPonders ? inPonder : `../../${relative(projectRoot, source)}`;
    return `new URL(${JSON.stringify(path.split(sep).join('/'))}, import.meta.url).href`;
  };
  const { metafile } = await build({
    ...esbuildOptions(projectRoot, target),
    ...packedPonderOptions(placeOf),
    metafile: true,
  });
  const text = await readFile(join(ponder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(text) as Record<string, string>;
  await writeFile(join(target, 'package.json'), JSON.stringify({ name, version, license }));
  return externalImports(metafile).filter((path) => !OPTIONAL_OF_PONDER.has(path));
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
