// `npm run try:ponder [-- <version>]`: tries the changes to Ponder on its newest release, or on the version that is
// named. It needs the network, so it is no part of `npm run check`.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../engine/cli/stack/processes.ts';
import { run } from './packages/run.ts';
import { tryPatch } from './ponder/try-patch.ts';

const [version = 'latest'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'tributary-ponder-'));
try {
  const packed = await run('npm', ['pack', '--json', `ponder@${version}`], folder);
  const [{ filename, version: found }] = JSON.parse(packed) as [
    { filename: string; version: string },
  ];
  await run('tar', ['-xzf', filename], folder);
  const { patch, refused } = await tryPatch(join(folder, 'package'));
  for (const hunk of refused) console.log(`does not apply: ${hunk}`);
  const file = join('dist', `ponder@${found}.patch`);
  await mkdir(join(projectRoot, 'dist'), { recursive: true });
  await writeFile(join(projectRoot, file), patch);
  console.log(`${refused.length === 0 ? 'All changes apply' : 'The others apply'}: ${file}`);
  if (refused.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
