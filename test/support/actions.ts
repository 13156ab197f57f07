import {
  type Address,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type GetEventArgs,
  type Hex,
  keccak256,
  maxUint128,
  maxUint256,
  parseEventLogs,
  type TransactionReceipt,
  toHex,
  zeroAddress,
} from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { testTokenAbi } from '../../abis/testToken.ts';
import { mined, type TestChain } from './chain.ts';

type Abi = typeof referralCommerceAbi;
type Write = ContractFunctionName<Abi, 'nonpayable'>;
type CampaignInput = ContractFunctionArgs<Abi, 'nonpayable', 'createCampaign'>[0];
type Policy = ContractFunctionArgs<Abi, 'nonpayable', 'createCampaign'>[1];

type EventArgs<E extends string> = GetEventArgs<
  Abi,
  E,
  { EnableUnion: false; IndexedOnly: false; Required: true }
>;

/** The SKU of every campaign that is not reported another. */
export const SKU: Hex = keccak256(toHex('sku'));
/** 1 January 2100, in unix seconds. */
export const FAR_FUTURE = 4_102_444_800n;

/** An attester's permission without limits: arguments of `allowAttester` after the account. */
export const NO_LIMITS = [maxUint128, maxUint128, FAR_FUTURE] as const;
const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`;

/**
 * Sends any function of the contract, and waits for its block.
 * @param dataSuffix bytes after its calldata.
 * @throws where it reverts.
 */
export async function send<const F extends Write>(
  chain: TestChain,
  account: Address,
  functionName: F,
  args: ContractFunctionArgs<Abi, 'nonpayable', F>,
  dataSuffix: Hex = '0x',
): Promise<TransactionReceipt> {
  const call = { address: chain.contract, abi: referralCommerceAbi as Abi, functionName, args };
  const hash = await chain.client.writeContract({ ...call, account, dataSuffix } as Parameters<
    typeof chain.client.writeContract
  >[0]);
  return mined(chain.client, hash);
}

/** The arguments of the first event of that name in a receipt. @throws if there is none. */
export function emitted<const E extends ContractEventName<Abi>>(
  receipt: TransactionReceipt,
  eventName: E,
): EventArgs<E> {
  const [event] = parseEventLogs({ abi: referralCommerceAbi, logs: receipt.logs, eventName });
  if (!event) throw new Error(`The transaction emitted no ${eventName}.`);
  return event.args as EventArgs<E>;
}

/** A policy: 10 % in three levels of 50, 30 and 20 %, no caps, a hold of 60 s. */
export function policyOf(token: Address, changes: Partial<Policy> = {}): Policy {
  return {
    rewardToken: token,
    commissionBps: 1_000,
    perSaleCap: maxUint256,
    campaignLiabilityCap: maxUint256,
    maxRewardedAncestors: 3,
    weightsBps: [5_000, 3_000, 2_000],
    shortPathMode: 0,
    holdSeconds: 60,
    expiry: FAR_FUTURE,
    excludesSelfReferral: false,
    regions: [],
    sharingRules: [],
    ...changes,
  };
}

let campaigns = 0;

/** Creates a campaign: price 1,000,000 base units, open to all, roomy. Answers its id. */
export async function createCampaign(
  chain: TestChain,
  merchant: Address,
  token: Address,
  changes: { input?: Partial<CampaignInput>; policy?: Partial<Policy> } = {},
): Promise<bigint> {
  const input: CampaignInput = {
    token,
    price: 1_000_000n,
    skuHash: SKU,
    metadataHash: ZERO_HASH,
    startsAt: 0n,
    endsAt: FAR_FUTURE,
    nodeCapacity: 1_000_000n,
    saleCapacity: 1_000_000n,
    trustMode: 0,
    nodesPerAccount: 1_000_000,
    inviteOnly: false,
    salt: keccak256(toHex(`salt ${++campaigns}`)),
    ...changes.input,
  };
  const policy = policyOf(token, changes.policy);
  const receipt = await send(chain, merchant, 'createCampaign', [input, policy]);
  return emitted(receipt, 'CampaignCreated').campaignId;
}

/** Mints tokens to an account, and lets the contract take any number of them. */
export async function giveTokens(
  chain: TestChain,
  token: Address,
  account: Address,
  amount: bigint,
): Promise<void> {
  const call = { address: token, abi: testTokenAbi, account } as const;
  const { client } = chain;
  await mined(
    client,
    await client.writeContract({ ...call, functionName: 'mint', args: [account, amount] }),
  );
  const args = [chain.contract, maxUint256] as const;
  await mined(client, await client.writeContract({ ...call, functionName: 'approve', args }));
}

/** Funds a campaign with tokens that are minted for it. */
export async function fund(
  chain: TestChain,
  campaign: { id: bigint; token: Address },
  account: Address,
  amount: bigint,
): Promise<TransactionReceipt> {
  await giveTokens(chain, campaign.token, account, amount);
  const terms = await termsOf(chain, campaign.id);
  return send(chain, account, 'fund', [campaign.id, terms, amount]);
}

/** The terms that the campaign of that id has now. */
export async function termsOf({ client, contract }: TestChain, campaignId: bigint): Promise<Hex> {
  const call = { address: contract, abi: referralCommerceAbi, args: [campaignId] } as const;
  return (await client.readContract({ ...call, functionName: 'campaign' })).termsHash;
}

/** The account that owns a node now; the zero address for node 0, which is none. */
export async function ownerOf({ client, contract }: TestChain, nodeId: bigint): Promise<Address> {
  if (nodeId === 0n) return zeroAddress;
  const call = { address: contract, abi: referralCommerceAbi, args: [nodeId] } as const;
  return (await client.readContract({ ...call, functionName: 'node' })).owner;
}

/** What names a sale in transactions, by its number on the chain as it is now. */
export async function saleRefOf(chain: TestChain, saleId: bigint) {
  const [sale] = await chain.client.getContractEvents({
    address: chain.contract,
    abi: referralCommerceAbi,
    eventName: 'SaleRecorded',
    args: { saleId },
    fromBlock: 0n,
    strict: true,
  });
  if (sale === undefined) throw new Error(`The chain has no sale ${saleId}.`);
  const { campaignId, buyer, orderKey } = sale.args;
  return { campaignId, termsHash: await termsOf(chain, campaignId), buyer, orderKey };
}

/** Joins under a node (0: none). Answers the new node's id. */
export async function join(
  chain: TestChain,
  campaignId: bigint,
  account: Address,
  parentNodeId = 0n,
): Promise<bigint> {
  const [terms, parentOwner] = await Promise.all([
    termsOf(chain, campaignId),
    ownerOf(chain, parentNodeId),
  ]);
  const args = [campaignId, terms, parentNodeId, parentOwner] as const;
  const receipt = await send(chain, account, 'join', args);
  return emitted(receipt, 'NodeJoined').nodeId;
}

let orders = 0;

/** Buys at any price; the buyer has the tokens already. `dataSuffix` follows the calldata. Answers the sale's event. */
export async function buy(
  chain: TestChain,
  campaignId: bigint,
  buyer: Address,
  {
    nodeId = 0n,
    skuHash = SKU,
    orderKey = keccak256(toHex(`order ${++orders}`)),
    dataSuffix = '0x' as Hex,
  } = {},
) {
  const [terms, owner] = await Promise.all([termsOf(chain, campaignId), ownerOf(chain, nodeId)]);
  const args = [campaignId, terms, nodeId, owner, skuHash, orderKey, maxUint256, 1] as const;
  return emitted(await send(chain, buyer, 'buy', args, dataSuffix), 'SaleRecorded');
}

/** Refunds a native sale, in part or in whole. */
export async function refund(
  chain: TestChain,
  merchant: Address,
  saleId: bigint,
  amount: bigint,
): Promise<TransactionReceipt> {
  const saleRef = await saleRefOf(chain, saleId);
  return await send(chain, merchant, 'refund', [saleRef, amount, ZERO_HASH, 0n, '0x']);
}

/** Moves the chain's clock, and mines a block. */
export async function advance(chain: TestChain, seconds: number): Promise<void> {
  await chain.client.increaseTime({ seconds });
  await chain.client.mine({ blocks: 1 });
}
