import type { Address, ContractFunctionArgs, Hex } from 'viem';
import type { referralCommerceAbi } from '../../abis/index.ts';
import { typedData } from '../../sample/typed-data.ts';
import { buyArgs, fundArgs, joinArgs, ownerOf, type SaleRef, termsOf } from './calls.ts';
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
/** Largest amount that the contract accepts, base units. */
export const maxAmount = 2n ** 128n - 1n;
/** Latest time that the contract accepts, unix seconds. */
export const maxTime = 253_402_300_799n;
/** Last three arguments of `allowAttester` for a permission that nothing bounds. */
export const noLimits = [maxAmount, maxAmount, maxTime] as const;
/** Last three arguments of `allowAttester` that withdraw a permission. */
export const withdrawn = [0n, 0n, 0n] as const;

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

let salts = 0;

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
    nodesPerAccount: 0,
    trustMode: trustModes.native,
    inviteOnly: false,
    salt: hashOf(`salt ${++salts}`),
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
    excludesSelfReferral: false,
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
  await sent(world, commerce.write.fund(await fundArgs(world, campaignId, funding), by(merchant)));
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
    const args = await joinArgs(world, campaignId, ids.at(-1) ?? 0n);
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
  const args = await buyArgs(world, { campaignId, nodeId, orderKey: hashOf(order) });
  await sent(world, world.commerce.write.buy(args, by(world.buyer)));
  return BigInt(await world.commerce.read.saleCount());
}

export function domainOf({ client, commerce }: World) {
  const chainId = client.chain.id;
  return { name: 'Tributary', version: '3', chainId, verifyingContract: commerce.address };
}

export function signSale(world: World, account: Address, message: Attestation): Promise<Hex> {
  const types = { SaleAttestation: typedData.SaleAttestation };
  const domain = domainOf(world);
  const primaryType = 'SaleAttestation';
  return world.client.signTypedData({ account, domain, types, primaryType, message });
}

type RefundApproval = SaleRef & { refundedTotal: bigint; reasonHash: Hex; deadline: bigint };
type ReversalApproval = SaleRef & { reasonHash: Hex; deadline: bigint };

export function signRefund(world: World, account: Address, message: RefundApproval): Promise<Hex> {
  const types = { RefundApproval: typedData.RefundApproval };
  const domain = domainOf(world);
  const primaryType = 'RefundApproval';
  return world.client.signTypedData({ account, domain, types, primaryType, message });
}

export function signReversal(
  world: World,
  account: Address,
  message: ReversalApproval,
): Promise<Hex> {
  const types = { ReversalApproval: typedData.ReversalApproval };
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
  const { nodeId = 0n } = changes;
  return {
    campaignId,
    termsHash: await termsOf(world, changes.campaignId ?? campaignId),
    buyer: world.buyer,
    nodeId,
    nodeOwner: await ownerOf(world, nodeId),
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
