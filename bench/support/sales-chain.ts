import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { bulkBuyerAbi, bulkBuyerBytecode } from '../../abis/test/bulkBuyer.ts';
import { testTokenAbi } from '../../abis/testToken.ts';
import { startAnvil } from '../../engine/cli/stack/anvil.ts';
import { createCampaign, fund, join as joinNode, SKU } from '../../test/support/actions.ts';
import {
  accountAt,
  deployToken,
  mined,
  startTestChain,
  type TestChain,
} from '../../test/support/chain.ts';

/** A chain with campaigns, paths of nodes, and somebody who buys in bulk. */
export interface SalesChain {
  readonly chain: TestChain;
  /** Mines one block with so many sales, spread over all campaigns; answers its number. */
  readonly mineSales: (count: number) => Promise<number>;
  readonly stop: () => Promise<void>;
}

export interface SalesChainOptions {
  /** Makes the same calls produce the same chain; without it the clock is real. */
  readonly genesisTimestamp?: number;
  /** Default: anvil's own, for which some requests are left out. */
  readonly chainId?: number;
}

interface Campaign {
  readonly id: bigint;
  /** The deepest node: a sale there has a path of five, three of them rewarded. */
  readonly nodeId: bigint;
}

const CAMPAIGNS = 10;
const DEPTH = 5;

/** Sales that one transaction makes at most; about 200,000 units of gas each. */
const SALES_AT_ONCE = 50;

const BLOCK_GAS = 1_000_000_000n;

/**
 * Starts a chain with campaigns and nodes, and no sale yet. It continues another, empty anvil: an
 * anvil of its own hashes all that it holds for each block, and 100,000 sales would take an hour.
 */
export async function startSalesChain(options: SalesChainOptions = {}): Promise<SalesChain> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-origin-'));
  const origin = await startAnvil({ logFile: join(dir, 'anvil.log'), ...options });
  const chain = await startTestChain({ continues: origin.url, ...options });
  await chain.client.setBlockGasLimit({ gasLimit: BLOCK_GAS });
  const token = await deployToken(chain);
  const campaigns: Campaign[] = [];
  for (let i = 0; i < CAMPAIGNS; i += 1) campaigns.push(await openCampaign(chain, token));
  const send = sender(chain, await deployBuyer(chain, token), campaigns);
  await chain.client.setAutomine(false);
  return {
    chain,
    mineSales: async (count) => {
      const [hash] = await send(count);
      await chain.client.mine({ blocks: 1 });
      if (hash === undefined) throw new Error('a block of no sales was asked for');
      const { blockNumber } = await mined(chain.client, hash);
      return Number(blockNumber);
    },
    stop: async () => {
      await chain.stop();
      await origin.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function openCampaign(chain: TestChain, token: Address): Promise<Campaign> {
  const merchant = accountAt(chain.accounts, 1);
  const id = await createCampaign(chain, merchant, token);
  await fund(chain, { id, token }, merchant, 10n ** 18n);
  let nodeId = 0n;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    nodeId = await joinNode(chain, id, accountAt(chain.accounts, 2 + depth), nodeId);
  }
  return { id, nodeId };
}

async function deployBuyer(chain: TestChain, token: Address): Promise<Address> {
  const account = accountAt(chain.accounts, 0);
  const { client } = chain;
  const deployed = await mined(
    client,
    await client.deployContract({
      abi: bulkBuyerAbi,
      bytecode: bulkBuyerBytecode,
      args: [chain.contract, token],
      account,
    }),
  );
  const address = deployed.contractAddress;
  if (!address) throw new Error('The deployment made no contract.');
  const mint = { address: token, abi: testTokenAbi, functionName: 'mint', account } as const;
  await mined(client, await client.writeContract({ ...mint, args: [address, 10n ** 24n] }));
  return address;
}

function sender(chain: TestChain, buyer: Address, campaigns: readonly Campaign[]) {
  let order = 0n;
  let turn = 0;
  return async (count: number) => {
    const hashes: Hex[] = [];
    for (let left = count; left > 0; left -= SALES_AT_ONCE) {
      const size = Math.min(left, SALES_AT_ONCE);
      const chosen = Array.from({ length: size }, (_, i) => {
        const campaign = campaigns[(turn + i) % campaigns.length];
        if (campaign === undefined) throw new Error('there is no campaign to buy in');
        return campaign;
      });
      const hash = await chain.client.writeContract({
        address: buyer,
        abi: bulkBuyerAbi,
        functionName: 'buyAll',
        args: [chosen.map(({ id }) => id), chosen.map(({ nodeId }) => nodeId), SKU, order],
        account: accountAt(chain.accounts, 0),
        gas: BigInt(size) * 500_000n + 1_000_000n,
      });
      hashes.push(hash);
      order += BigInt(size);
      turn += size;
    }
    return hashes;
  };
}
