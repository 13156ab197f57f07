import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import {
  claimDeployment,
  type Deployment,
  DeploymentMismatchError,
} from '../../engine/db/deployment.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const mine: Deployment = {
  chainId: 31_337,
  genesisHash: `0x${'01'.repeat(32)}`,
  contractAddress: `0x${'ab'.repeat(20)}`,
};

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  pool = openPool(database.url);
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

it('migrates once, however many processes start together', async () => {
  const applied = await Promise.all([migrate(pool), migrate(pool), migrate(pool)]);
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
  expect(await migrate(pool)).toEqual([]);
});

it('accepts the chain and contract of the first start of a ledger, and refuses any other', async () => {
  await claimDeployment(pool, mine);
  await claimDeployment(pool, { ...mine, contractAddress: `0x${'AB'.repeat(20)}` });
  const others: Partial<Deployment>[] = [
    { chainId: 1 },
    { genesisHash: `0x${'02'.repeat(32)}` },
    { contractAddress: `0x${'cd'.repeat(20)}` },
  ];
  for (const other of others) {
    const claim = claimDeployment(pool, { ...mine, ...other });
    await expect(claim).rejects.toThrow(DeploymentMismatchError);
    const [key] = Object.keys(other);
    await expect(claimDeployment(pool, { ...mine, ...other })).rejects.toThrow(String(key));
  }
});
