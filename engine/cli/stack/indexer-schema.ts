import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Inputs that decide the rows of an indexer schema. */
export type IndexerSchemaInput = {
  genesisHash: `0x${string}`;
  contractAddress: `0x${string}`;
  startBlock: number;
  /** From `indexerBuildHash`. */
  buildHash: string;
  /** Number of times that the chain was indexed again. Default: 0. */
  generation?: number;
};

/**
 * PostgreSQL schema of one build on one chain: `indexer_` and 12 hex digits. Ponder rejects a schema
 * of another build, and does not delete rows of another chain, so every input that changes the rows
 * changes the name.
 */
export function indexerSchemaName(input: IndexerSchemaInput): string {
  const parts = [
    input.genesisHash.toLowerCase(),
    input.contractAddress.toLowerCase(),
    String(input.startBlock),
    input.buildHash,
    // The first generation has no number, so that the schemas of older deployments keep their name.
    ...(input.generation ? [`generation ${input.generation}`] : []),
  ];
  return `indexer_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)}`;
}

/** PostgreSQL schema of a generation's cache of RPC responses. */
export function cacheSchemaName(generation: number): string {
  return generation === 0 ? 'ponder_sync' : `ponder_sync_${generation}`;
}

/** Cache option of `startIndexer`: the first generation uses Ponder's default. */
export function cacheSchemaOption(generation: number): { cacheSchema?: string } {
  return generation === 0 ? {} : { cacheSchema: cacheSchemaName(generation) };
}

/** Hash over Ponder's version and the project files that it runs. */
export async function indexerBuildHash(root: string): Promise<string> {
  const version = await ponderVersion(root);
  const hash = createHash('sha256').update(`ponder ${version}`);
  const files = ['ponder.config.ts', 'ponder.schema.ts', 'abis/referralCommerce.ts'];
  for (const file of [...files, ...(await sourceFiles(root))].sort()) {
    hash.update(`\n${file}\n`).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}

/** Version of the installed Ponder. npm may install it next to this package. */
async function ponderVersion(root: string): Promise<string> {
  const folders = createRequire(join(root, 'package.json')).resolve.paths('ponder') ?? [];
  // The npm package holds it, compiled.
  const places = [join(root, 'compiled'), ...folders];
  const file = places.map((folder) => join(folder, 'ponder/package.json')).find(existsSync);
  if (file === undefined) throw new Error('Ponder is not installed: run npm install.');
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}

async function sourceFiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'src'), { recursive: true });
  return entries.map((entry) => `src/${entry.replaceAll('\\', '/')}`).filter(isSource);
}

function isSource(path: string): boolean {
  return /\.m?[tj]s$/.test(path) && !path.startsWith('src/api/');
}
