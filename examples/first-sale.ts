import {
  createWalletClient,
  defineChain,
  http,
  keccak256,
  maxUint256,
  parseEventLogs,
  publicActions,
  toHex,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { referralCommerceAbi as abi } from '../abis/referralCommerce.ts';
import { testTokenAbi, testTokenBytecode } from '../abis/testToken.ts';

// From the variables of a deployment and one key to a sale (docs/start/public-chain.md#a-campaign-and-a-sale).

const { CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, DEPLOYER_PRIVATE_KEY } = process.env;
const account = privateKeyToAccount(DEPLOYER_PRIVATE_KEY as `0x${string}`);
const address = CONTRACT_ADDRESS as `0x${string}`;
const nativeCurrency = { name: 'Coin', symbol: 'COIN', decimals: 18 };
const rpcUrls = { default: { http: [RPC_URL ?? ''] } };
const chain = defineChain({ id: Number(CHAIN_ID), name: 'testnet', nativeCurrency, rpcUrls });
const client = createWalletClient({ account, chain, transport: http() }).extend(publicActions);

async function mined(hash: `0x${string}`) {
  const receipt = await client.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`${hash} failed`);
  return receipt;
}

// A token that anybody may mint.
const deployment = {
  abi: testTokenAbi,
  bytecode: testTokenBytecode,
  args: ['Test Dollar', 'TUSD', 6],
} as const;
const { contractAddress: token } = await mined(await client.deployContract(deployment));
if (!token) throw new Error('The token was not deployed.');
const tokens = { address: token, abi: testTokenAbi } as const;
await mined(
  await client.writeContract({
    ...tokens,
    functionName: 'mint',
    args: [account.address, 1_000_000_000n],
  }),
);
await mined(
  await client.writeContract({ ...tokens, functionName: 'approve', args: [address, maxUint256] }),
);

// The campaign, and its deposit for rewards.
const endsAt = BigInt(Math.floor(Date.now() / 1_000) + 90 * 86_400);
const skuHash = keccak256(toHex('tide-tables'));
const campaign = {
  token,
  skuHash,
  price: 20_000_000n,
  metadataHash: keccak256(toHex('Tide tables for typographers')),
  startsAt: 0n,
  endsAt,
  nodeCapacity: 100n,
  saleCapacity: 1_000n,
  nodesPerAccount: 0,
  trustMode: 0,
  inviteOnly: false,
  salt: keccak256(toHex(`first ${Date.now()}`)),
} as const;
const policy = {
  rewardToken: token,
  commissionBps: 1_000,
  perSaleCap: maxUint256,
  campaignLiabilityCap: maxUint256,
  maxRewardedAncestors: 2,
  weightsBps: [7_000, 3_000],
  shortPathMode: 0,
  holdSeconds: 3_600,
  expiry: endsAt,
  excludesSelfReferral: false,
  regions: [],
  sharingRules: [],
} as const;
const call = { address, abi } as const;
const created = await mined(
  await client.writeContract({ ...call, functionName: 'createCampaign', args: [campaign, policy] }),
);
const [event] = parseEventLogs({ abi, logs: created.logs, eventName: 'CampaignCreated' });
if (event === undefined) throw new Error('No campaign was created.');
const { campaignId, termsHash } = event.args;
await mined(
  await client.writeContract({
    ...call,
    functionName: 'fund',
    args: [campaignId, termsHash, 50_000_000n],
  }),
);

// A link, and a sale through it.
const joined = await mined(
  await client.writeContract({
    ...call,
    functionName: 'join',
    args: [campaignId, termsHash, 0n, zeroAddress],
  }),
);
const [node] = parseEventLogs({ abi, logs: joined.logs, eventName: 'NodeJoined' });
const order = [
  campaignId,
  termsHash,
  node?.args.nodeId ?? 0n,
  account.address,
  skuHash,
  keccak256(toHex('order 1')),
  maxUint256,
  1,
] as const;
const bought = await mined(
  await client.writeContract({ ...call, functionName: 'buy', args: order }),
);
const [sale] = parseEventLogs({ abi, logs: bought.logs, eventName: 'SaleRecorded' });
process.stdout.write(`${sale?.args.saleId}\n`);
