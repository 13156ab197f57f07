import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { account } from '../support/history.ts';
import { runHere } from '../support/run-cli.ts';

let fixture: ApiFixture;

beforeAll(async () => {
  fixture = await ApiFixture.open();
});
afterAll(() => fixture.close());

it('lists, sets and removes the budgets of merchants', async () => {
  const { chainId, contractAddress } = fixture.deps.deployment;
  const env = {
    DATABASE_URL: fixture.databaseUrl,
    CHAIN_ID: String(chainId),
    RPC_URL: 'http://127.0.0.1:1',
    CONTRACT_ADDRESS: contractAddress,
    START_BLOCK: '0',
  };
  const run = (...args: string[]) => runHere(['gas-budget', ...args], env);
  expect((await run()).stdout).toBe('All merchants have the default budget.\n');
  const set = await run(account(1), '2000000000000000000', '--json');
  expect(JSON.parse(set.stdout)).toEqual([{ merchant: account(1), wei: '2000000000000000000' }]);
  expect((await run()).stdout).toBe(`${account(1)} 2000000000000000000 wei a day\n`);
  expect((await run(account(1))).stdout).toBe('All merchants have the default budget.\n');
  expect((await run(account(1), '1.5')).code).toBe(2);
});
