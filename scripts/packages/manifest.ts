import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { SHARED } from './table.ts';

type Versions = Readonly<Record<string, string>>;

const root = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  version: string;
  description: string;
  license: string;
  engines: Versions;
  bin: Versions;
  dependencies: Versions;
  devDependencies: Versions;
};

const { version } = root;

export const { description, bin, dependencies: projectDependencies, devDependencies } = root;

/** Fields that all manifests have. */
export function baseManifest(name: string) {
  const { license, engines } = root;
  return {
    name,
    version,
    license,
    author: 'The Tributary authors',
    type: 'module',
    engines,
    sideEffects: false,
  };
}

/**
 * Exact versions of packages: those of the project's own dependencies.
 * @throws {Error} if a package is not one of them.
 */
export function dependenciesOf(names: Iterable<string>): Versions {
  const sorted = [...new Set(names)].sort();
  return Object.fromEntries(
    sorted.map((name) => {
      const exact = name === SHARED.name ? version : root.dependencies[name];
      if (exact === undefined)
        throw new Error(`${name} is not in the dependencies of package.json.`);
      return [name, exact];
    }),
  );
}

/** Name of the package that an import names; `undefined` for files, modules of Node and of Ponder's build. */
export function packageOf(specifier: string): string | undefined {
  return /^(@[\w.-]+\/[\w.-]+|[\w][\w.-]*)(?:\/|$)/.exec(specifier)?.[1];
}
