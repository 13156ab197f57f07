import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheSchemaOption, indexerBuildHash, indexerSchemaName } from './indexer-schema.ts';
import { projectRoot } from './processes.ts';

const input = {
  genesisHash: `0x${'1a'.repeat(32)}`,
  contractAddress: `0x${'B2'.repeat(20)}`,
  startBlock: 3,
  buildHash: 'c3',
} as const;

test('gives schemas short names that do not depend on the case of addresses', () => {
  const name = indexerSchemaName(input);
  expect(name).toMatch(/^indexer_[0-9a-f]{12}$/);
  expect(indexerSchemaName({ ...input, contractAddress: `0x${'b2'.repeat(20)}` })).toBe(name);
});

test('names schemas differently for another chain, contract, start or build', () => {
  const names = [
    input,
    { ...input, genesisHash: `0x${'1b'.repeat(32)}` as const },
    { ...input, contractAddress: `0x${'B3'.repeat(20)}` as const },
    { ...input, startBlock: 4 },
    { ...input, buildHash: 'c4' },
  ].map(indexerSchemaName);
  expect(new Set(names).size).toBe(5);
});

test('names schema and cache by generation, except for the first one', () => {
  const names = [1, 2].map((generation) => indexerSchemaName({ ...input, generation }));
  expect(new Set([...names, indexerSchemaName(input)]).size).toBe(3);
  expect(indexerSchemaName({ ...input, generation: 0 })).toBe(indexerSchemaName(input));
  expect(cacheSchemaOption(0)).toEqual({});
  expect(cacheSchemaOption(2)).toEqual({ cacheSchema: 'ponder_sync_2' });
});

test('hashes every file that Ponder runs for its rows, and no other file', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-build-'));
  for (const part of ['src', 'abis', 'ponder.config.ts', 'ponder.schema.ts']) {
    await cp(join(projectRoot, part), join(root, part), { recursive: true });
  }
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  const hash = await indexerBuildHash(root);
  expect(hash).toBe(await indexerBuildHash(projectRoot));

  await writeFile(join(root, 'src/api/index.ts'), '// other');
  await writeFile(join(root, 'README.md'), 'other');
  expect(await indexerBuildHash(root)).toBe(hash);

  await mkdir(join(root, 'src/more'));
  await writeFile(join(root, 'src/more/file.ts'), 'export {};');
  expect(await indexerBuildHash(root)).not.toBe(hash);
  await rm(root, { recursive: true });
});
