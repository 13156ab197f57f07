import {
  encodeFunctionData,
  type Hex,
  keccak256,
  maxUint256,
  sha256,
  type TransactionSerializable,
  toHex,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { testTokenAbi } from '../../abis/testToken.ts';
import { bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { emitted, ownerOf, SKU, termsOf } from '../support/actions.ts';
import { mined } from '../support/chain.ts';
import { bundleOf, fullTrust } from './bundles.ts';
import { grow, open, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

/** Anvil's own mnemonic; its third account is the scene's buyer. */
const buyer = mnemonicToAccount('test test test test test test test test test test test junk', {
  addressIndex: 2,
});
/** The commitment to a blob of zeros, and the proof of it: the point at infinity. */
const INFINITY: Hex = `0xc0${'00'.repeat(47)}`;
const BLOB: Hex = `0x${'00'.repeat(131_072)}`;
const fees = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1n } as const;

let scene: VerifyFixture;
let campaignId: bigint;
let nodeId: bigint;

beforeAll(async () => {
  scene = await startVerifyFixture();
  campaignId = await open(scene, {});
  [nodeId = 0n] = await grow(scene, campaignId, 1);
  const { client, contract } = scene.chain;
  const approve = { abi: testTokenAbi, functionName: 'approve', account: scene.buyer } as const;
  const args = [contract, maxUint256] as const;
  await mined(client, await client.writeContract({ ...approve, address: scene.token, args }));
});
afterAll(() => scene?.chain.stop());

/** Fields that make a transaction one of its type. */
async function parts(nonce: number): Promise<Record<string, Partial<TransactionSerializable>>> {
  if (buyer.signAuthorization === undefined) throw new Error('The account signs no delegation.');
  const gasPrice = 5_000_000_000n;
  const delegation = { address: scene.token, chainId: 31_337, nonce: nonce + 1 };
  return {
    '0x0': { type: 'legacy', gasPrice },
    '0x1': { type: 'eip2930', gasPrice, accessList: [{ address: scene.token, storageKeys: [] }] },
    '0x2': { type: 'eip1559', ...fees },
    '0x3': {
      type: 'eip4844',
      ...fees,
      maxFeePerBlobGas: 1_000n,
      blobVersionedHashes: [`0x01${sha256(INFINITY).slice(4)}`],
      sidecars: [{ blob: BLOB, commitment: INFINITY, proof: INFINITY }],
    },
    '0x4': {
      type: 'eip7702',
      ...fees,
      authorizationList: [await buyer.signAuthorization(delegation)],
    },
  };
}

/** Buys by a transaction of that type, between others in its block where it may share one. */
async function buyBy(type: string, alone: boolean): Promise<bigint> {
  const { client, contract } = scene.chain;
  expect(buyer.address.toLowerCase()).toBe(scene.buyer.toLowerCase());
  const nonce = await client.getTransactionCount({ address: buyer.address });
  const order = await orderOf(keccak256(toHex(type)));
  const data = encodeFunctionData({ abi: referralCommerceAbi, functionName: 'buy', args: order });
  const call = { chainId: 31_337, nonce, to: contract, gas: 1_000_000n, data };
  const serializable = { ...call, ...(await parts(nonce))[type] };
  const raw = await buyer.signTransaction(serializable as TransactionSerializable);
  await client.setAutomine(false);
  const others = alone ? 0 : 20;
  for (let i = 0; i < others; i += 1) await passBy(i);
  const hash = await client.sendRawTransaction({ serializedTransaction: raw });
  await client.mine({ blocks: 1 });
  await client.setAutomine(true);
  const receipt = await mined(client, hash);
  const { transactions } = await client.getBlock({ blockHash: receipt.blockHash });
  expect(transactions).toHaveLength(others + 1);
  return emitted(receipt, 'SaleRecorded').saleId;
}

/** The arguments of a purchase through the node. */
async function orderOf(orderKey: Hex) {
  const [terms, owner] = await Promise.all([
    termsOf(scene.chain, campaignId),
    ownerOf(scene.chain, nodeId),
  ]);
  return [campaignId, terms, nodeId, owner, SKU, orderKey, maxUint256, 1] as const;
}

/** A transaction that has nothing to do with the sale. */
async function passBy(i: number): Promise<void> {
  const { client } = scene.chain;
  await client.sendTransaction({
    account: scene.merchant,
    to: scene.attester,
    value: BigInt(i),
    gas: 21_000n,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  });
}

describe('a sale bought by a transaction', () => {
  it.each([
    ['0x0', 'without a type', false],
    ['0x1', 'of EIP-2930', false],
    ['0x2', 'of EIP-1559', false],
    ['0x3', 'of EIP-4844', true],
    ['0x4', 'of EIP-7702', false],
  ])('proves a sale by the receipt of a transaction of type %s (%s)', async (type, _, alone) => {
    const saleId = await buyBy(type, alone);
    const bundle = await bundleOf(scene, saleId);
    const { verdict, receipt } = verifyBundle(bundleText(bundle), fullTrust(bundle));
    expect(verdict).toBe('pass');
    const [recorded] = receipt?.transitions ?? [];
    const block = await scene.chain.client.getBlock({
      blockNumber: BigInt(recorded?.blockNumber ?? 0),
      includeTransactions: true,
    });
    expect(block.transactions[recorded?.transactionIndex ?? -1]?.typeHex).toBe(type);
  });

  it('proves a sale in a block of hundreds of transactions', async () => {
    const { client } = scene.chain;
    await client.setAutomine(false);
    for (let i = 0; i < 300; i += 1) await passBy(i);
    // As fees order a block, the lowest is the last of it.
    const order = await orderOf(keccak256(toHex('many')));
    const hash = await client.writeContract({
      address: scene.chain.contract,
      abi: referralCommerceAbi,
      functionName: 'buy',
      args: order,
      account: scene.buyer,
      maxFeePerGas: 5_000_000_000n,
      maxPriorityFeePerGas: 0n,
      gas: 1_000_000n,
    });
    await client.mine({ blocks: 1 });
    await client.setAutomine(true);
    const receipt = await mined(client, hash);
    expect(receipt.transactionIndex).toBeGreaterThan(127);
    const bundle = await bundleOf(scene, emitted(receipt, 'SaleRecorded').saleId);
    expect(verifyBundle(bundleText(bundle), fullTrust(bundle)).verdict).toBe('pass');
    expect(bundle.proofs.at(-1)?.transactionIndexes).toEqual([receipt.transactionIndex]);
  });
});
