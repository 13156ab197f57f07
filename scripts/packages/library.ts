import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import {
  referralCommerceAbi,
  referralCommerceBytecode,
  testTokenAbi,
  testTokenBytecode,
} from '../../abis/index.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { type Declarations, declarationOf } from './declarations.ts';
import { baseManifest, dependenciesOf, devDependencies, packageOf } from './manifest.ts';
import { type LibrarySpec, SHARED } from './table.ts';

/**
 * Writes a library package into a folder: modules, types and manifest.
 * @throws {Error} if a module imports one of Node's, or a package that the project does not depend on.
 */
export async function writeLibrary(
  spec: LibrarySpec,
  declarations: Declarations,
  folder: string,
): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.entries(spec.entries).map(([path, source]) => ({
      in: source,
      out: moduleName(path),
    })),
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    packages: 'external',
    plugins: spec.name === SHARED.name ? [] : [sharedPackage],
    metafile: true,
    logLevel: 'error',
  });
  const imported = externalImports(metafile);
  const builtins = imported.filter((path) => packageOf(path) === undefined);
  if (builtins.length > 0) throw new Error(`${spec.name} imports ${builtins.join(', ')}.`);
  const packages = new Set(imported.map((path) => packageOf(path) ?? path));
  for (const source of Object.values(spec.entries)) {
    for (const name of await declarations.write(source, spec.name, join(folder, 'types'))) {
      packages.add(name);
    }
  }
  const isShared = spec.name === SHARED.name;
  if (isShared) await writeContracts(folder);
  const manifest = {
    ...baseManifest(spec.name),
    description: spec.description,
    keywords: spec.keywords,
    exports: {
      ...Object.fromEntries(
        Object.entries(spec.entries).map(([path, source]) => [
          path,
          {
            types: `./types/${declarationOf(source)}`,
            default: `./${moduleName(path)}.js`,
          },
        ]),
      ),
      ...(isShared ? { './abi/*.json': './abi/*.json', './*.sol': './*.sol' } : {}),
      './package.json': './package.json',
    },
    dependencies: dependenciesOf(packages),
    // The sources import it; ABI and interface do not.
    ...(isShared && {
      peerDependencies: {
        '@openzeppelin/contracts': devDependencies['@openzeppelin/contracts'],
      },
      peerDependenciesMeta: { '@openzeppelin/contracts': { optional: true } },
    }),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Name of the module of an export: `.` is `index`. */
function moduleName(path: string): string {
  return path === '.' ? 'index' : path.slice('./'.length);
}

/** Leaves what is a package of its own to be imported from there. */
const sharedPackage: Plugin = {
  name: 'shared-package',
  setup(builder) {
    builder.onResolve({ filter: /^\..*\/abis\/[^/]+\.ts$/ }, () => ({
      path: SHARED.name,
      external: true,
      sideEffects: false,
    }));
  },
};

/** Modules that a result imports and does not contain. */
export function externalImports({ outputs }: Metafile): string[] {
  const all = Object.values(outputs).flatMap(({ imports }) => imports);
  return [...new Set(all.filter(({ external }) => external).map(({ path }) => path))];
}

/** Writes the Solidity sources, and the ABI and bytecode as JSON. */
async function writeContracts(folder: string): Promise<void> {
  const source = join(projectRoot, 'contracts');
  const names = (await readdir(source)).filter((name) => name.endsWith('.sol'));
  for (const name of [...names, 'libraries']) {
    await cp(join(source, name), join(folder, name), { recursive: true });
  }
  await mkdir(join(folder, 'abi'));
  const artifacts = {
    ReferralCommerce: { abi: referralCommerceAbi, bytecode: referralCommerceBytecode },
    TestToken: { abi: testTokenAbi, bytecode: testTokenBytecode },
  };
  for (const [contractName, artifact] of Object.entries(artifacts)) {
    const text = JSON.stringify({ contractName, ...artifact });
    await writeFile(join(folder, 'abi', `${contractName}.json`), `${text}\n`);
  }
}
