import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the rows of an indexer schema depend on. */
export type IndexerSchemaInput = {
  genesisHash: `0x${string}`;
  contractAddress: `0x${string}`;
  startBlock: number;
  /** From `indexerBuildHash`. */
  buildHash: string;
  /** How often the chain was indexed anew, from the RPC up. Default: 0. */
  generation?: number;
};

/**
 * The Postgres schema of one build on one chain: `indexer_` and 12 hex digits. Ponder refuses a
 * schema that another build made, and keeps a dead chain's rows (docs: facts, «Stale chains»), so
 * whatever changes the rows changes the name.
 */
export function indexerSchemaName(input: IndexerSchemaInput): string {
  const parts = [
    input.genesisHash.toLowerCase(),
    input.contractAddress.toLowerCase(),
    String(input.startBlock),
    input.buildHash,
    // The first one has no number, so that deployments from before there were more keep their name.
    ...(input.generation ? [`generation ${input.generation}`] : []),
  ];
  return `indexer_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)}`;
}

/** The Postgres schema in which a generation's indexers keep what the RPC answered. */
export function cacheSchemaName(generation: number): string {
  return generation === 0 ? 'ponder_sync' : `ponder_sync_${generation}`;
}

/** The cache as an option of `startIndexer`: the first generation's is the one that Ponder names. */
export function cacheSchemaOption(generation: number): { cacheSchema?: string } {
  return generation === 0 ? {} : { cacheSchema: cacheSchemaName(generation) };
}

/** A hash over all that Ponder runs below the project's root: its version, and our files. */
export async function indexerBuildHash(root: string): Promise<string> {
  const ponder = await readFile(join(root, 'node_modules/ponder/package.json'), 'utf8');
  const { version } = JSON.parse(ponder) as { version: string };
  const hash = createHash('sha256').update(`ponder ${version}`);
  const files = ['ponder.config.ts', 'ponder.schema.ts', 'abis/referralCommerce.ts'];
  for (const file of [...files, ...(await sourceFiles(root))].sort()) {
    hash.update(`\n${file}\n`).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}

async function sourceFiles(root: string): Promise<string[]> {
  const entries = await readdir(join(root, 'src'), { recursive: true });
  return entries.map((entry) => `src/${entry.replaceAll('\\', '/')}`).filter(isSource);
}

function isSource(path: string): boolean {
  return /\.m?[tj]s$/.test(path) && !path.startsWith('src/api/');
}
