import { closePool, openPool } from '../db/connection.ts';
import { readDeployment } from '../db/deployment.ts';
import type { ChainEnv } from '../env.ts';
import { deploymentOf, hasRecordedBlock } from './connect.ts';
import { createDatabase, databasesOn, embeddedDatabaseName, urlOf } from './stack/database.ts';

/**
 * The database of a chain on the embedded server: the one that records it, or else a new one. Its name has the hash by
 * which the chain was recorded, which an RPC that has pruned its history since then does not return.
 * @throws {CommandError} as `deploymentOf`.
 */
export async function embeddedDatabase(serverUrl: string, chain: ChainEnv): Promise<string> {
  const name = embeddedDatabaseName(await deploymentOf(chain));
  const names = await databasesOn(serverUrl, 'tributary_');
  if (names.includes(name)) return urlOf(serverUrl, name);
  for (const other of names) {
    const url = urlOf(serverUrl, other);
    if (await records(url, chain)) return url;
  }
  return await createDatabase(serverUrl, name);
}

/** True if a database is the ledger of that chain and contract. */
async function records(url: string, chain: ChainEnv): Promise<boolean> {
  const pool = openPool(url, { max: 1 });
  try {
    const [row] = await pool<{ has: boolean }[]>`
      select to_regclass('ledger.deployment') is not null as has`;
    const found = row?.has === true ? await readDeployment(pool) : undefined;
    return (
      found?.chainId === chain.chainId &&
      found.contractAddress === chain.contractAddress.toLowerCase() &&
      (await hasRecordedBlock(pool, chain, found.genesisHash))
    );
  } finally {
    await closePool(pool);
  }
}
