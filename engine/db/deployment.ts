import type { Sql } from './connection.ts';
import { address, hex, integer, rowCodec, type StoredRow, type View } from './row.ts';

const deployment = rowCodec({ chainId: integer, genesisHash: hex, contractAddress: address });

/** The one chain and contract of a ledger (docs/how-it-works/architecture.md#where-data-lives). */
export type Deployment = View<typeof deployment>;

/** The ledger belongs to another chain or contract: it refuses to mix the two. */
export class DeploymentMismatchError extends Error {
  override readonly name = 'DeploymentMismatchError';
}

/**
 * Notes at the first start which chain and contract the ledger is of, and holds every later start
 * against it.
 * @throws {DeploymentMismatchError} where chain id, genesis hash or address differ.
 */
export async function claimDeployment(sql: Sql, wanted: Deployment): Promise<void> {
  await sql`
    insert into ledger.deployment (chain_id, genesis_hash, contract_address)
    values (${wanted.chainId}, ${wanted.genesisHash}, ${wanted.contractAddress.toLowerCase()})
    on conflict do nothing`;
  const found = await readDeployment(sql);
  if (found === undefined) throw new Error('ledger.deployment is empty after an insert');
  const differs = (['chainId', 'genesisHash', 'contractAddress'] as const).filter(
    (key) => String(found[key]).toLowerCase() !== String(wanted[key]).toLowerCase(),
  );
  if (differs.length > 0) {
    const differences = differs
      .map((key) => `${key} ${found[key]} and not ${wanted[key]}`)
      .join(', ');
    throw new DeploymentMismatchError(
      `This database holds the ledger of ${differences}. Give each chain and contract a database of its own.`,
    );
  }
}

export async function readDeployment(sql: Sql): Promise<Deployment | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${deployment.columns(sql, 'deployment')} from ledger.deployment`;
  return row && deployment.decode(row);
}
