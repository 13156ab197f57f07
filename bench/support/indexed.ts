import { createDatabase, dropDatabase } from '../../engine/cli/stack/database.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { readIndexerHead } from '../../engine/db/indexer/head.ts';
import type { TestChain } from '../../test/support/chain.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Bench } from '../harness/suite.ts';

let databases = 0;

/** Does a piece of work in an empty database of its own, and drops that. */
export async function inDatabase<T>(
  bench: Bench,
  name: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  databases += 1;
  const unique = `${name}_${databases}`;
  const url = await createDatabase(bench.postgresUrl, unique);
  try {
    return await work(url);
  } finally {
    await dropDatabase(bench.postgresUrl, unique);
  }
}

/** Waits until the indexer has reached the head of the chain. */
export async function indexedToHead(
  chain: TestChain,
  pool: Pool,
  schema: string,
  timeout: number,
): Promise<void> {
  const head = Number(await chain.client.getBlockNumber());
  await waitFor(async () => ((await readIndexerHead(pool, schema)).blockNumber ?? -1) >= head, {
    what: 'the indexer to reach the head',
    timeout,
  });
}
