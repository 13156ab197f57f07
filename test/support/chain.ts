import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Abi,
  type Address,
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from 'viem';
import { foundry } from 'viem/chains';
import { referralCommerceAbi, referralCommerceBytecode } from '../../abis/referralCommerce.ts';
import { cautiousTokenAbi, cautiousTokenBytecode } from '../../abis/test/cautiousToken.ts';
import { quirkyTokenAbi, quirkyTokenBytecode } from '../../abis/test/quirkyToken.ts';
import { testTokenAbi, testTokenBytecode } from '../../abis/testToken.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../../engine/cli/stack/anvil.ts';
import type { ChainEnv } from '../../engine/env.ts';
import { constructorOf, ordinaryKind } from '../tokens/kinds.ts';
import { waitFor } from './wait-for.ts';

/** A client that has a chain. */
export type ChainNode = Pick<Anvil, 'url'> & { stop(): Promise<unknown> };

/** A chain of one test file: the client that has it, which is anvil by default, and the protocol's contract on it. */
export type TestChain<Node extends ChainNode = ChainNode> = {
  readonly anvil: Node;
  readonly chainId: number;
  readonly client: TestClient;
  /** Funded and unlocked: any of them may be the `account` of a call. */
  readonly accounts: readonly Address[];
  readonly contract: Address;
  /** The block that deployed the contract. */
  readonly startBlock: bigint;
  readonly genesisHash: Hex;
  /** The folder of its logs, and of the logs of what a test starts next to it. */
  readonly dir: string;
  stop(): Promise<void>;
};

/** A test's chain as the environment would name it. */
export function chainEnv(
  chain: TestChain,
  rpcUrls: readonly string[] = [chain.anvil.url],
): ChainEnv {
  const { contract: contractAddress, startBlock } = chain;
  return { chainId: chain.chainId, rpcUrls, contractAddress, startBlock: Number(startBlock) };
}

/** A viem client that can do everything: read, send, mine, reorg. */
export type TestClient = ReturnType<typeof testClient>;

/**
 * Starts an anvil and deploys the contract. Where the time of its genesis is reported, each block comes a
 * second after the one before, so that the same calls make the same chain.
 */
export async function startTestChain(
  options: Partial<AnvilOptions> = {},
): Promise<TestChain<Anvil>> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-chain-'));
  const anvil = await startAnvil({ logFile: join(dir, 'anvil.log'), ...options });
  const { chainId = foundry.id } = options;
  const client = testClient(anvil.url, chainId);
  if (options.genesisTimestamp !== undefined) {
    await client.setBlockTimestampInterval({ interval: 1 });
  }
  return await deployOn(anvil, { client, chainId, dir });
}

/**
 * Deploys the contract on a client's chain.
 * @param chain.dir a folder, which is removed at the end.
 */
export async function deployOn<Node extends ChainNode>(
  node: Node,
  { client, chainId, dir }: Pick<TestChain, 'client' | 'chainId' | 'dir'>,
): Promise<TestChain<Node>> {
  const accounts = await client.getAddresses();
  const deployed = await deploy(client, accountAt(accounts, 0), {
    abi: referralCommerceAbi,
    bytecode: referralCommerceBytecode,
    args: [],
  });
  const { hash } = await client.getBlock({ blockNumber: 0n });
  return {
    anvil: node,
    chainId,
    client,
    accounts,
    contract: deployed.address,
    startBlock: deployed.receipt.blockNumber,
    genesisHash: hash,
    dir,
    async stop() {
      await node.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The same chain with another contract of the protocol on it. Stop only the first one. */
export async function withSecondContract(chain: TestChain): Promise<TestChain> {
  const { address, receipt } = await deploy(chain.client, accountAt(chain.accounts, 0), {
    abi: referralCommerceAbi,
    bytecode: referralCommerceBytecode,
    args: [],
  });
  const dir = await mkdtemp(join(tmpdir(), 'tributary-chain-'));
  const stop = () => rm(dir, { recursive: true, force: true });
  return { ...chain, contract: address, startBlock: receipt.blockNumber, dir, stop };
}

/** A client of any anvil, or of a client with the same methods under another prefix. */
export function testClient(
  url: string,
  chainId: number = foundry.id,
  mode: 'anvil' | 'hardhat' = 'anvil',
) {
  return createTestClient({
    chain: { ...foundry, id: chainId },
    mode,
    transport: http(url, { timeout: 60_000 }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** Deploys a test token that anybody may mint. */
export async function deployToken(
  chain: TestChain,
  { name = 'Test Dollar', symbol = 'TUSD', decimals = 6 } = {},
): Promise<Address> {
  const from = accountAt(chain.accounts, 0);
  const { address } = await deploy(chain.client, from, {
    abi: testTokenAbi,
    bytecode: testTokenBytecode,
    args: [name, symbol, decimals],
  });
  return address;
}

/** Deploys a token that changes an allowance from or to zero only, with the functions of `deployToken`'s. */
export async function deployCautiousToken(chain: TestChain): Promise<Address> {
  const from = accountAt(chain.accounts, 0);
  const { address } = await deploy(chain.client, from, {
    abi: cautiousTokenAbi,
    bytecode: cautiousTokenBytecode,
    args: [],
  });
  return address;
}

/** Deploys a token of a kind (test/tokens/kinds.ts), with the functions of `deployToken`'s. */
export async function deployQuirkyToken(chain: TestChain, kind = ordinaryKind): Promise<Address> {
  const from = accountAt(chain.accounts, 0);
  const { address } = await deploy(chain.client, from, {
    abi: quirkyTokenAbi,
    bytecode: quirkyTokenBytecode,
    args: constructorOf(kind),
  });
  return address;
}

/** The account of that index, counted around: account 10 of 10 is account 0. */
export function accountAt(accounts: readonly Address[], index: number): Address {
  const account = accounts[index % accounts.length];
  if (account === undefined) throw new Error('This chain has no accounts.');
  return account;
}

/** A client that can ask for receipts, and for a block where its node makes them on request. */
type ReceiptClient = Pick<TestClient, 'getTransactionReceipt'> & Partial<Pick<TestClient, 'mine'>>;

/** Milliseconds after which a node that mines each transaction immediately must have mined one. */
const MINING_MS = 10_000;

/**
 * Waits for the receipt of a transaction. viem's `waitForTransactionReceipt` asks again only at the next
 * block, and anvil names a block a moment before it has its receipts: without a next block it hangs. Once in some
 * hundred thousand transactions anvil leaves one in its pool until another one comes (foundry's issue 10122): then a
 * block is requested.
 */
export async function receiptOf(client: ReceiptClient, hash: Hex): Promise<TransactionReceipt> {
  const receipt = () => client.getTransactionReceipt({ hash });
  const options = { what: `the receipt of ${hash}`, interval: 2 };
  try {
    return await waitFor(receipt, { ...options, timeout: MINING_MS });
  } catch (error) {
    if (client.mine === undefined) throw error;
    console.warn(`anvil left ${hash} in its pool: a block is requested.`);
    await client.mine({ blocks: 1 });
    return await waitFor(receipt, options);
  }
}

/** Waits for a transaction. @throws Error where it reverted. */
export async function mined(client: ReceiptClient, hash: Hex): Promise<TransactionReceipt> {
  const receipt = await receiptOf(client, hash);
  if (receipt.status !== 'success') throw new Error(`The transaction ${hash} reverted.`);
  return receipt;
}

async function deploy(
  client: TestClient,
  account: Address,
  contract: { abi: Abi; bytecode: Hex; args: readonly unknown[] },
): Promise<{ address: Address; receipt: TransactionReceipt }> {
  const receipt = await mined(client, await client.deployContract({ ...contract, account }));
  if (!receipt.contractAddress) throw new Error('The deployment made no contract.');
  return { address: receipt.contractAddress, receipt };
}
