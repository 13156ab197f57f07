import type { Address, Hex } from '../core/events.ts';
import type { Sql } from './connection.ts';

/** The one chain and contract of a ledger (docs/architecture.md#where-data-lives). */
export interface Deployment {
  readonly chainId: number;
  readonly genesisHash: Hex;
  readonly contractAddress: Address;
}

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
    const told = differs.map((key) => `${key} ${found[key]} and not ${wanted[key]}`).join(', ');
    throw new DeploymentMismatchError(
      `This database holds the ledger of ${told}. Give each chain and contract a database of its own.`,
    );
  }
}

export async function readDeployment(sql: Sql): Promise<Deployment | undefined> {
  const [row] = await sql<
    { chain_id: string; genesis_hash: Hex; contract_address: Address }[]
  >`select chain_id, genesis_hash, contract_address from ledger.deployment`;
  if (row === undefined) return undefined;
  return {
    chainId: Number(row.chain_id),
    genesisHash: row.genesis_hash,
    contractAddress: row.contract_address,
  };
}
