import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { packageOf } from './manifest.ts';
import { run } from './run.ts';
import { libraries, SHARED } from './table.ts';

/** Declarations of all libraries, by path. */
export interface Declarations {
  /**
   * Writes the declarations that an entry needs, in the layout of the sources.
   * @param entry source of the entry, relative to the project's root.
   * @param own name of the package.
   * @returns packages that they import.
   */
  write(entry: string, own: string, folder: string): Promise<ReadonlySet<string>>;
}

/** Specifier of an import, export or `import()` type. */
const SPECIFIER = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g;

/** Compiles the declarations of all libraries in one run of the compiler. */
export async function emitDeclarations(): Promise<Declarations> {
  const cache = join(projectRoot, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'declarations-'));
  const config = join(folder, 'tsconfig.json');
  const entries = libraries.flatMap(({ entries }) => Object.values(entries));
  await writeFile(
    config,
    JSON.stringify({
      extends: join(projectRoot, 'tsconfig.json'),
      include: [],
      files: entries.map((entry) => join(projectRoot, entry)),
      compilerOptions: {
        noEmit: false,
        incremental: false,
        tsBuildInfoFile: null,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: projectRoot,
        outDir: join(folder, 'types'),
        typeRoots: [join(projectRoot, 'node_modules', '@types')],
      },
    }),
  );
  const emitted = new Map<string, string>();
  const compiler = join(projectRoot, 'node_modules', 'typescript-native', 'bin', 'tsc');
  try {
    await run(process.execPath, [compiler, '-p', config], projectRoot);
    await Promise.all(entries.map((entry) => read(folder, entry, emitted)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return {
    async write(entry, own, target) {
      const packages = new Set<string>();
      for (const source of reachable(entry, own, emitted)) {
        const path = join(target, declarationOf(source));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, forConsumers(source, own, emitted.get(source) ?? '', packages));
      }
      return packages;
    },
  };
}

/** Reads a declaration and all that it imports. */
async function read(folder: string, source: string, emitted: Map<string, string>): Promise<void> {
  if (emitted.has(source)) return;
  emitted.set(source, '');
  const text = await readFile(join(folder, 'types', declarationOf(source)), 'utf8');
  emitted.set(source, text);
  await Promise.all(relativeImports(source, text).map((path) => read(folder, path, emitted)));
}

function reachable(entry: string, own: string, emitted: ReadonlyMap<string, string>): Set<string> {
  const found = new Set([entry]);
  for (const source of found) {
    for (const next of relativeImports(source, emitted.get(source) ?? '')) {
      if (!isShared(next, own)) found.add(next);
    }
  }
  return found;
}

function relativeImports(source: string, text: string): string[] {
  return [...text.matchAll(SPECIFIER)].flatMap(([, , , specifier = '']) =>
    specifier.startsWith('.') ? [posix.join(posix.dirname(source), specifier)] : [],
  );
}

/** Declaration with specifiers that compilers resolve without further options. */
function forConsumers(source: string, own: string, text: string, packages: Set<string>): string {
  return text.replace(SPECIFIER, (_all, keyword: string, quote: string, specifier: string) => {
    const path = posix.join(posix.dirname(source), specifier);
    const named = specifier.startsWith('.') && isShared(path, own) ? SHARED.name : specifier;
    const imported = packageOf(named);
    if (imported !== undefined) packages.add(imported);
    return `${keyword}${quote}${named.replace(/^(\..*)\.ts$/, '$1.js')}${quote}`;
  });
}

/** True if a source belongs to another package. */
function isShared(source: string, own: string): boolean {
  return own !== SHARED.name && source.startsWith(SHARED.folder);
}

/** Path of the declaration of a source. */
export function declarationOf(source: string): string {
  return source.replace(/\.ts$/, '.d.ts');
}
