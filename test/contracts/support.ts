import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createTestClient,
  getAddress,
  getContract,
  type Hex,
  http,
  keccak256,
  maxUint256,
  parseEventLogs,
  publicActions,
  toHex,
  walletActions,
  zeroAddress,
} from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  referralCommerceAbi,
  referralCommerceBytecode,
  testTokenAbi,
  testTokenBytecode,
} from '../../abis/index.ts';
import { startAnvil } from '../../engine/cli/stack/anvil.ts';
import { receiptOf } from '../support/chain.ts';

/** Unix seconds of every chain's genesis; each block is a second after the one before. */
export const genesisTime = 1_800_000_000n;
export const hour = 3_600n;
export const day = 86_400n;

/** Ordinals of the contract's enums. */
export const trustModes = { native: 0, merchantAttested: 1, thirdPartyVerified: 2 } as const;
export const states = { unfunded: 0, active: 1, paused: 2, ended: 3, expired: 4 } as const;
export const saleStatuses = { pending: 0, refunded: 1, finalized: 2, reversed: 3 } as const;
export const skipReasons = {
  unknown: 0,
  notDue: 1,
  alreadyClosed: 2,
  nothingClaimable: 3,
} as const;
export const shortPathModes = { renormalizeExisting: 0, returnUnused: 1 } as const;

/** A 32-byte name for something that a test makes up. */
export function hashOf(name: string): Hex {
  return keccak256(toHex(name));
}

export const sku = hashOf('sku');

/** An event of the protocol, decoded. */
export type DecodedEvent = { readonly name: string; readonly args: unknown };

/** A transaction that succeeded. */
export type Sent = { readonly events: DecodedEvent[]; readonly timestamp: bigint; gasUsed: bigint };

/** Why a call reverted: the custom error's name and its values in order. */
export type Refusal = { readonly error: string; readonly values: readonly unknown[] };

function connect(url: string) {
  return createTestClient({
    mode: 'anvil',
    chain: foundry,
    transport: http(url),
    pollingInterval: 5,
  })
    .extend(publicActions)
    .extend(walletActions);
}

export type Client = ReturnType<typeof connect>;

export function commerceAt(client: Client, address: Address) {
  return getContract({ abi: referralCommerceAbi, address, client });
}

export function tokenAt(client: Client, address: Address) {
  return getContract({ abi: testTokenAbi, address, client });
}

/** Sends from one of anvil's own accounts, without asking for an estimate first. */
export function by(account: Address) {
  return { account, chain: null, gas: 8_000_000n } as const;
}

export async function deploy(
  client: Client,
  abi: Abi,
  bytecode: Hex,
  args: readonly unknown[] = [],
): Promise<Address> {
  const [account] = await client.getAddresses();
  if (account === undefined) throw new Error('anvil has no accounts.');
  const hash = await client.deployContract({ abi, bytecode, args, ...by(account) });
  const { contractAddress, status } = await receiptOf(client, hash);
  if (!contractAddress || status !== 'success') throw new Error(`Deployment ${hash} reverted.`);
  return getAddress(contractAddress);
}

/** State that every test starts from; anvil is reset to it before each test. */
export type World = {
  readonly client: Client;
  readonly commerce: ReturnType<typeof commerceAt>;
  readonly token: ReturnType<typeof tokenAt>;
  /** Each but the stranger has a million tokens, and approved the contract for all of them. */
  readonly merchant: Address;
  readonly buyer: Address;
  readonly attester: Address;
  readonly stranger: Address;
  /** Distributors for five levels and one more. */
  readonly nodes: readonly [Address, Address, Address, Address, Address, Address];
};

export const fortune = 1_000_000_000_000n;

async function createWorld(client: Client): Promise<World> {
  const [merchant, buyer, attester, stranger, ...others] = await client.getAddresses();
  const [a, b, c, d, e, f] = others;
  if (!merchant || !buyer || !attester || !stranger || !a || !b || !c || !d || !e || !f) {
    throw new Error('anvil has fewer than ten accounts.');
  }
  const tokenArgs = ['Test Dollar', 'TUSD', 6];
  const token = tokenAt(client, await deploy(client, testTokenAbi, testTokenBytecode, tokenArgs));
  const address = await deploy(client, referralCommerceAbi, referralCommerceBytecode);
  const commerce = commerceAt(client, address);
  const nodes = [a, b, c, d, e, f] as const;
  const world = { client, commerce, token, merchant, buyer, attester, stranger, nodes };
  for (const account of [merchant, buyer, attester]) {
    await sent(world, token.write.mint([account, fortune], by(merchant)));
    await sent(world, token.write.approve([address, maxUint256], by(account)));
  }
  return world;
}

/**
 * Gives a test file its own anvil, with the protocol and a token deployed. Returns how to get at
 * it, because it is there only once the tests run.
 */
export function useWorld(): () => World {
  let world: World | undefined;
  let snapshot: Hex | undefined;
  let stop: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    const logFile = join(tmpdir(), `tributary-contracts-${process.pid}.log`);
    const anvil = await startAnvil({ logFile, genesisTimestamp: Number(genesisTime) });
    stop = () => anvil.stop();
    const client = connect(anvil.url);
    await client.setBlockTimestampInterval({ interval: 1 });
    world = await createWorld(client);
    snapshot = await client.snapshot();
  });
  beforeEach(async () => {
    if (world === undefined || snapshot === undefined) throw new Error('anvil did not start.');
    await world.client.revert({ id: snapshot });
    snapshot = await world.client.snapshot();
  });
  afterAll(async () => {
    await stop?.();
  });
  return () => {
    if (world === undefined) throw new Error('anvil did not start.');
    return world;
  };
}

/** A transaction that was mined and changed nothing. */
export class TransactionReverted extends Error {
  override readonly name = 'TransactionReverted';
  constructor(hash: Hex) {
    super(`Transaction ${hash} reverted.`);
  }
}

/** Waits until a transaction is mined; throws where it reverted. */
export async function sent({ client, commerce }: World, write: Promise<Hex>): Promise<Sent> {
  const hash = await write;
  const receipt = await receiptOf(client, hash);
  if (receipt.status !== 'success') throw new TransactionReverted(hash);
  const logs = receipt.logs.filter(({ address }) => address === commerce.address.toLowerCase());
  const events = parseEventLogs({ abi: referralCommerceAbi, logs });
  if (events.length !== logs.length) throw new Error(`${hash} has events that are unknown.`);
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber });
  return {
    events: events.map(({ eventName, args }) => ({ name: eventName, args })),
    timestamp,
    gasUsed: receipt.gasUsed,
  };
}

/** The error that a simulated call reverts with; throws where it does not revert. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
    const { data, signature, reason } = reverted;
    return { error: data?.errorName ?? signature ?? reason ?? '', values: data?.args ?? [] };
  }
  throw new Error('The call did not revert.');
}

export async function now({ client }: World): Promise<bigint> {
  return (await client.getBlock()).timestamp;
}

/** Mines a block at a time, so that a simulated call sees that time. */
export async function mineAt({ client }: World, timestamp: bigint): Promise<void> {
  await client.setNextBlockTimestamp({ timestamp });
  await client.mine({ blocks: 1 });
}

/** Lets the next transaction's block have exactly this time. */
export async function nextAt({ client }: World, timestamp: bigint): Promise<void> {
  await client.setNextBlockTimestamp({ timestamp });
}

export { maxUint256, zeroAddress };
