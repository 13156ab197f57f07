// Builds the npm packages into dist/packages, and packs each as a tarball (docs/use/packages.md).
import { join } from 'node:path';
import { projectRoot } from '../engine/cli/stack/processes.ts';
import { packAll } from './packages/pack-all.ts';

for (const { file, size, unpackedSize } of await packAll(join(projectRoot, 'dist', 'packages'))) {
  console.log(`${file}  ${kilobytes(size)} packed, ${kilobytes(unpackedSize)} installed`);
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000)} kB`;
}
