import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { writeCommand } from './command.ts';
import { emitDeclarations } from './declarations.ts';
import { writeLibrary } from './library.ts';
import { run } from './run.ts';
import { command, libraries } from './table.ts';

/** A tarball. */
export interface Packed {
  readonly name: string;
  /** Path of the tarball. */
  readonly file: string;
  /** Bytes of the tarball. */
  readonly size: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
}

/**
 * Builds all packages and packs them.
 * @param target folder of the results: `<name>` without scope, and the tarballs. It is emptied first.
 */
export async function packAll(target: string): Promise<Packed[]> {
  await rm(target, { recursive: true, force: true });
  const declarations = await emitDeclarations();
  const packed: Packed[] = [];
  for (const spec of libraries) {
    packed.push(
      await pack(target, spec.name, (folder) => writeLibrary(spec, declarations, folder)),
    );
  }
  packed.push(await pack(target, command.name, writeCommand));
  return packed;
}

async function pack(
  target: string,
  name: string,
  write: (folder: string) => Promise<void>,
): Promise<Packed> {
  const folder = join(target, name.replace(/^.*\//, ''));
  await mkdir(folder, { recursive: true });
  await write(folder);
  await cp(join(projectRoot, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'README.md'), await readmeOf(name));
  const output = await run('npm', ['pack', '--json', '--pack-destination', target], folder);
  const [result] = JSON.parse(output) as [{ filename: string; size: number; unpackedSize: number }];
  const { filename, size, unpackedSize } = result;
  return { name, file: join(target, filename), size, unpackedSize };
}

/** README of a package: its section of docs/use/packages.md. */
async function readmeOf(name: string): Promise<string> {
  const page = await readFile(join(projectRoot, 'docs', 'use', 'packages.md'), 'utf8');
  const heading = `## ${name}\n`;
  const section = page.split(/^(?=## )/m).find((text) => text.startsWith(heading));
  if (section === undefined) throw new Error(`docs/use/packages.md has no section "${name}".`);
  return section.replace(/^##/gm, '#');
}
