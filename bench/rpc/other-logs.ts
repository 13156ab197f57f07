import { testTokenAbi } from '../../abis/testToken.ts';
import { accountAt, deployToken, type TestChain } from '../../test/support/chain.ts';

/** Mines blocks with a log of another contract: blooms of a public chain's blocks are not empty either. */
export async function minerOfOtherLogs(chain: TestChain): Promise<() => Promise<void>> {
  const { client, accounts } = chain;
  await client.setAutomine(true);
  const address = await deployToken(chain);
  await client.setAutomine(false);
  const account = accountAt(accounts, 9);
  const mint = { address, abi: testTokenAbi, functionName: 'mint', account } as const;
  return async () => {
    await client.writeContract({ ...mint, args: [account, 1n], gas: 200_000n });
    await client.mine({ blocks: 1 });
  };
}
