import type { Address, ContractFunctionArgs, Hex } from 'viem';
import type { referralCommerceAbi } from '../../abis/index.ts';
import {
  by,
  day,
  genesisTime,
  hashOf,
  maxUint256,
  sent,
  shortPathModes,
  sku,
  trustModes,
  type World,
} from './support.ts';

type CreateArgs = ContractFunctionArgs<typeof referralCommerceAbi, 'nonpayable', 'createCampaign'>;
export type CampaignInput = CreateArgs[0];
export type Policy = CreateArgs[1];
export type Attestation = ContractFunctionArgs<
  typeof referralCommerceAbi,
  'nonpayable',
  'recordAttestedSale'
>[0];

/** Base units: 100 tokens of 6 decimals. */
export const price = 100_000_000n;
/** Base units: what a scene funds a campaign with. */
export const funding = 1_000_000_000n;
export const holdSeconds = 600n;
export const metadataHash = hashOf('metadata');

/** A campaign of 100 tokens a sale, from genesis on for 100 days. */
export function inputFor(world: World, changes: Partial<CampaignInput> = {}): CampaignInput {
  return {
    token: world.token.address,
    price,
    skuHash: sku,
    metadataHash,
    startsAt: genesisTime,
    endsAt: genesisTime + 100n * day,
    nodeCapacity: 100n,
    saleCapacity: 100n,
    trustMode: trustModes.native,
    inviteOnly: false,
    ...changes,
  };
}

/** A policy of 10 % over five levels that holds for ten minutes. */
export function policyFor(world: World, changes: Partial<Policy> = {}): Policy {
  return {
    rewardToken: world.token.address,
    commissionBps: 1_000,
    perSaleCap: maxUint256,
    campaignLiabilityCap: maxUint256,
    maxRewardedAncestors: 5,
    weightsBps: [5_000, 2_000, 1_500, 1_000, 500],
    shortPathMode: shortPathModes.renormalizeExisting,
    holdSeconds: Number(holdSeconds),
    expiry: genesisTime + 90n * day,
    regions: ['EU', 'US'],
    sharingRules: ['no-spam'],
    ...changes,
  };
}

/** Creates a campaign, and answers its id. */
export async function createCampaign(
  world: World,
  input: Partial<CampaignInput> = {},
  policy: Partial<Policy> = {},
): Promise<bigint> {
  const { commerce, merchant } = world;
  const args = [inputFor(world, input), policyFor(world, policy)] as const;
  await sent(world, commerce.write.createCampaign(args, by(merchant)));
  return BigInt(await commerce.read.campaignCount());
}

/** Creates a campaign and funds it, and answers its id. */
export async function openCampaign(
  world: World,
  input: Partial<CampaignInput> = {},
  policy: Partial<Policy> = {},
): Promise<bigint> {
  const { commerce, merchant } = world;
  const campaignId = await createCampaign(world, input, policy);
  await sent(world, commerce.write.fund([campaignId, funding], by(merchant)));
  return campaignId;
}

/** Joins one node under the other, and answers the ids, the root first. */
export async function joinPath(
  world: World,
  campaignId: bigint,
  accounts: readonly Address[],
): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (const account of accounts) {
    const args = [campaignId, ids.at(-1) ?? 0n] as const;
    await sent(world, world.commerce.write.join(args, by(account)));
    ids.push(BigInt(await world.commerce.read.nodeCount()));
  }
  return ids;
}

/** Buys with a made-up order key, whatever the price and policy, and answers the sale's id. */
export async function buyFrom(
  world: World,
  campaignId: bigint,
  nodeId: bigint,
  order = 'order',
): Promise<bigint> {
  const args = [campaignId, nodeId, sku, hashOf(order), maxUint256, 0] as const;
  await sent(world, world.commerce.write.buy(args, by(world.buyer)));
  return BigInt(await world.commerce.read.saleCount());
}

/** Arguments of a refund that needs no attester. */
export function refundArgs(saleId: bigint, amount: bigint) {
  return [saleId, amount, hashOf('reason'), 0n, '0x'] as const;
}

/** Arguments of a reversal that needs no attester. */
export function reverseArgs(saleId: bigint) {
  return [saleId, hashOf('reason'), 0n, '0x'] as const;
}

const saleAttestation = [
  { name: 'campaignId', type: 'uint256' },
  { name: 'buyer', type: 'address' },
  { name: 'nodeId', type: 'uint256' },
  { name: 'amount', type: 'uint256' },
  { name: 'orderKey', type: 'bytes32' },
  { name: 'skuHash', type: 'bytes32' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint64' },
] as const;

const refundApproval = [
  { name: 'saleId', type: 'uint256' },
  { name: 'refundedTotal', type: 'uint256' },
  { name: 'reasonHash', type: 'bytes32' },
  { name: 'deadline', type: 'uint64' },
] as const;

const reversalApproval = [
  { name: 'saleId', type: 'uint256' },
  { name: 'reasonHash', type: 'bytes32' },
  { name: 'deadline', type: 'uint64' },
] as const;

function domainOf({ client, commerce }: World) {
  const chainId = client.chain.id;
  return { name: 'Tributary', version: '1', chainId, verifyingContract: commerce.address };
}

export function signSale(world: World, account: Address, message: Attestation): Promise<Hex> {
  const types = { SaleAttestation: saleAttestation };
  const domain = domainOf(world);
  const primaryType = 'SaleAttestation';
  return world.client.signTypedData({ account, domain, types, primaryType, message });
}

export function signRefund(
  world: World,
  account: Address,
  message: { saleId: bigint; refundedTotal: bigint; reasonHash: Hex; deadline: bigint },
): Promise<Hex> {
  const types = { RefundApproval: refundApproval };
  const domain = domainOf(world);
  const primaryType = 'RefundApproval';
  return world.client.signTypedData({ account, domain, types, primaryType, message });
}

export function signReversal(
  world: World,
  account: Address,
  message: { saleId: bigint; reasonHash: Hex; deadline: bigint },
): Promise<Hex> {
  const types = { ReversalApproval: reversalApproval };
  const domain = domainOf(world);
  const primaryType = 'ReversalApproval';
  return world.client.signTypedData({ account, domain, types, primaryType, message });
}

/** A sale to attest, good for five minutes. */
export async function attestationFor(
  world: World,
  campaignId: bigint,
  changes: Partial<Attestation> = {},
): Promise<Attestation> {
  const { timestamp } = await world.client.getBlock();
  return {
    campaignId,
    buyer: world.buyer,
    nodeId: 0n,
    amount: price,
    orderKey: hashOf('order'),
    skuHash: sku,
    nonce: 1n,
    deadline: timestamp + 300n,
    ...changes,
  };
}

/** Attests a sale and has a stranger relay it; answers the sale's id. */
export async function attest(
  world: World,
  signer: Address,
  campaignId: bigint,
  changes: Partial<Attestation> = {},
): Promise<bigint> {
  const attestation = await attestationFor(world, campaignId, changes);
  const signature = await signSale(world, signer, attestation);
  const args = [attestation, signature] as const;
  await sent(world, world.commerce.write.recordAttestedSale(args, by(world.stranger)));
  return BigInt(await world.commerce.read.saleCount());
}
