import { Attribution } from 'ox/erc8021';
import { type Address, type Hex, keccak256, maxUint256, toHex, zeroAddress } from 'viem';
import { referralCommerceAbi } from '../../abis/index.ts';
import { termsHash } from '../../engine/core/terms.ts';
import { typedData } from '../../sample/typed-data.ts';
import {
  advance,
  buy,
  createCampaign,
  emitted,
  FAR_FUTURE,
  giveTokens,
  join,
  ownerOf,
  policyOf,
  refund,
  SKU,
  saleRefOf,
  send,
  termsOf,
} from '../support/actions.ts';
import {
  accountAt,
  deployToken,
  receiptOf,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { keccak } from '../support/ledger.ts';

/** A chain with sales of every kind, to verify. */
export interface VerifyFixture {
  readonly chain: TestChain;
  readonly token: Address;
  readonly merchant: Address;
  readonly buyer: Address;
  readonly attester: Address;
}

const HOLD_SECONDS = 60;
const FORTUNE = 1_000_000_000_000_000n;
const NO_HASH: Hex = `0x${'0'.repeat(64)}`;
const fiveLevels = { maxRewardedAncestors: 5, weightsBps: [4_000, 2_500, 1_500, 1_200, 800] };

/** A chain with tokens in everybody's hands and no campaign yet. @param given default: anvil's. */
export async function startVerifyFixture(given?: TestChain): Promise<VerifyFixture> {
  const chain = given ?? (await startTestChain());
  const token = await deployToken(chain);
  const [merchant, buyer, attester] = [1, 2, 3].map((i) => accountAt(chain.accounts, i));
  if (!merchant || !buyer || !attester) throw new Error('This chain has no accounts.');
  for (const account of [merchant, buyer]) await giveTokens(chain, token, account, FORTUNE);
  return { chain, token, merchant, buyer, attester };
}

type Changes = Parameters<typeof createCampaign>[3];

/** A funded campaign. */
export async function open(scene: VerifyFixture, changes: Changes, funds = 1_000_000_000n) {
  const { chain, merchant, token } = scene;
  const campaignId = await createCampaign(chain, merchant, token, changes);
  await send(chain, merchant, 'fund', [campaignId, await termsOf(chain, campaignId), funds]);
  return campaignId;
}

/** A chain of nodes, each under the one before, the root first. */
export async function grow(
  scene: VerifyFixture,
  campaignId: bigint,
  depth: number,
): Promise<bigint[]> {
  const nodeIds: bigint[] = [];
  for (let i = 0; i < depth; i += 1) {
    const account = distributor(scene, i);
    nodeIds.push(await join(scene.chain, campaignId, account, nodeIds.at(-1)));
  }
  return nodeIds;
}

function distributor({ chain }: VerifyFixture, i: number): Address {
  return accountAt(chain.accounts, 4 + i);
}

export async function sell(
  scene: VerifyFixture,
  campaignId: bigint,
  nodeId = 0n,
  dataSuffix: Hex = '0x',
): Promise<bigint> {
  return (await buy(scene.chain, campaignId, scene.buyer, { nodeId, dataSuffix })).saleId;
}

/** Codes of all three roles, one of which is in a registry of its own. */
const ROLES = Attribution.toDataSuffix({
  appCode: 'tea-shop',
  walletCode: '0xAb',
  serviceCodes: ['2026-01-01T00:00:00Z'],
  registries: { wallet: { chainId: 8_453, address: `0x${'c0de'.repeat(10)}` } },
});
/** Codes of a registry, without roles. */
const REGISTERED = Attribution.toDataSuffix({
  codes: ['a', '7'],
  codeRegistry: { chainId: 1, address: `0x${'0b'.repeat(20)}` },
});

async function finalize(scene: VerifyFixture, ...saleIds: bigint[]): Promise<void> {
  await advance(scene.chain, HOLD_SECONDS);
  await send(scene.chain, scene.attester, 'finalize', [saleIds]);
}

/** Records a sale that `signer` attests. */
async function attest(
  { chain, buyer }: VerifyFixture,
  campaignId: bigint,
  signer: Address,
  nodeId: bigint,
  nonce: bigint,
): Promise<bigint> {
  const { timestamp } = await chain.client.getBlock();
  const attestation = {
    campaignId,
    termsHash: await termsOf(chain, campaignId),
    buyer,
    nodeId,
    nodeOwner: await ownerOf(chain, nodeId),
    amount: 777_777n,
    orderKey: keccak256(toHex(`attested ${nonce}`)),
    skuHash: SKU,
    nonce,
    deadline: timestamp + 600n,
  };
  const signature = await chain.client.signTypedData({
    account: signer,
    domain: {
      name: 'Tributary',
      version: '3',
      chainId: chain.chainId,
      verifyingContract: chain.contract,
    },
    types: typedData,
    primaryType: 'SaleAttestation',
    message: attestation,
  });
  const receipt = await send(chain, buyer, 'recordAttestedSale', [attestation, signature]);
  return emitted(receipt, 'SaleRecorded').saleId;
}

/** Sales of every kind, by what became of them. */
export async function playSales(scene: VerifyFixture) {
  return {
    ...(await playNativeSales(scene)),
    ...(await playCappedSales(scene)),
    ...(await playAttestedSales(scene)),
    ...(await playCrowdedBlock(scene)),
  };
}

async function playNativeSales(scene: VerifyFixture) {
  const { chain, merchant } = scene;
  const campaignId = await open(scene, {
    policy: { ...fiveLevels, commissionBps: 1_234, excludesSelfReferral: true },
  });
  const nodes = await grow(scene, campaignId, 7);
  const at = (i: number) => nodes[i] ?? 0n;

  const fiveLevel = await sell(scene, campaignId, at(6));
  const shortRenormalized = await sell(scene, campaignId, at(1), REGISTERED);
  const direct = await sell(scene, campaignId);
  const partlyRefunded = await sell(scene, campaignId, at(5));
  await refund(chain, merchant, partlyRefunded, 333_333n);
  await refund(chain, merchant, partlyRefunded, 1n);
  const fullyRefunded = await sell(scene, campaignId, at(4), ROLES);
  await refund(chain, merchant, fullyRefunded, 250_001n);
  await refund(chain, merchant, fullyRefunded, 749_999n);

  const finalized = await sell(scene, campaignId, at(6));
  const refundedAndFinalized = await sell(scene, campaignId, at(3));
  await refund(chain, merchant, refundedAndFinalized, 999_999n);
  await finalize(scene, finalized, refundedAndFinalized);
  const claimed = await sell(scene, campaignId, at(6));
  await finalize(scene, claimed);
  for (let i = 2; i <= 6; i += 1) {
    await send(chain, distributor(scene, i), 'claimRewards', [[campaignId]]);
  }
  return {
    fiveLevel,
    shortRenormalized,
    direct,
    partlyRefunded,
    fullyRefunded,
    finalized,
    refundedAndFinalized,
    claimed,
    secondPolicy: await sellUnderSecondPolicy(scene, campaignId, at(6)),
  };
}

async function sellUnderSecondPolicy(scene: VerifyFixture, campaignId: bigint, nodeId: bigint) {
  const { chain, merchant, token } = scene;
  const { timestamp } = await chain.client.getBlock();
  for (const [i, seconds] of [4_000n, 9_000_000n].entries()) {
    const policy = policyOf(token, { commissionBps: 2_000 + i, regions: ['EU', '0xAB'] });
    await send(chain, merchant, 'schedulePolicy', [campaignId, policy, timestamp + seconds]);
  }
  await advance(chain, 4_001);
  return sell(scene, campaignId, nodeId);
}

async function playCappedSales(scene: VerifyFixture) {
  const { chain, merchant, token } = scene;
  const unused = await open(scene, {
    policy: {
      ...fiveLevels,
      shortPathMode: 1,
      perSaleCap: 33_333n,
      regions: ['\uFEFFEU', 'D\0E', '2026-01-01T00:00:00Z'],
      sharingRules: ['#ad', '0xFf'],
    },
  });
  const unusedNodes = await grow(scene, unused, 2);
  const saleCapped = await sell(scene, unused, unusedNodes[1]);

  const bounded = await open(scene, { policy: { campaignLiabilityCap: 150_000n } });
  const [boundedNode = 0n] = await grow(scene, bounded, 1);
  await sell(scene, bounded, boundedNode);
  const liabilityCapped = await sell(scene, bounded, boundedNode);
  const nothingLeft = await sell(scene, bounded, boundedNode);

  const poor = await createCampaign(chain, merchant, token);
  await send(chain, merchant, 'fund', [poor, await termsOf(chain, poor), 12_345n]);
  const [poorNode = 0n] = await grow(scene, poor, 1);
  const budgetCapped = await sell(scene, poor, poorNode);
  return { saleCapped, liabilityCapped, nothingLeft, budgetCapped };
}

async function playAttestedSales(scene: VerifyFixture) {
  const { chain, merchant, attester } = scene;
  const own = await open(scene, { input: { trustMode: 1 } });
  const nodes = await grow(scene, own, 3);
  const leaf = nodes[2] ?? 0n;
  const attested = await attest(scene, own, merchant, leaf, 1n);
  const reversed = await attest(scene, own, merchant, leaf, 2n);
  await finalize(scene, attested, reversed);
  // Level 2 claims what vested; then another of its sales vests, which a reversal may take.
  await send(chain, distributor(scene, 1), 'claimRewards', [[own]]);
  const reversedLater = await attest(scene, own, merchant, leaf, 3n);
  await finalize(scene, reversedLater);
  for (const [saleId, reason] of [
    [reversed, NO_HASH],
    [reversedLater, keccak256('0x01')],
  ] as const) {
    const saleRef = await saleRefOf(chain, saleId);
    await send(chain, merchant, 'reverse', [saleRef, reason, 0n, '0x']);
  }

  const third = await open(scene, { input: { trustMode: 2 } });
  await send(chain, merchant, 'allowAttester', [third, attester, 1n, 1n, FAR_FUTURE]);
  await send(chain, merchant, 'allowAttester', [
    third,
    attester,
    1_000_000n,
    5_000_000n,
    FAR_FUTURE,
  ]);
  const [node = 0n] = await grow(scene, third, 1);
  const thirdParty = await attest(scene, third, attester, node, 1n);
  return { attested, reversed, reversedLater, thirdParty };
}

/** A campaign that is created, funded, joined and sold twice in a single block. */
async function playCrowdedBlock({ chain, token, merchant }: VerifyFixture) {
  const { client, contract } = chain;
  const abi = referralCommerceAbi;
  const campaignId =
    (await client.readContract({ address: contract, abi, functionName: 'campaignCount' })) + 1;
  const nodeId =
    (await client.readContract({ address: contract, abi, functionName: 'nodeCount' })) + 1;
  const saleId =
    (await client.readContract({ address: contract, abi, functionName: 'saleCount' })) + 1;
  const input = {
    token,
    price: 1_000_000n,
    skuHash: SKU,
    metadataHash: NO_HASH,
    startsAt: 0n,
    endsAt: FAR_FUTURE,
    nodeCapacity: 9n,
    saleCapacity: 9n,
    trustMode: 0,
    nodesPerAccount: 0,
    inviteOnly: false,
    salt: keccak256(toHex('crowded block')),
  };
  const terms = termsHash(keccak, { ...input, merchant, trustMode: 'NATIVE_ONCHAIN' });
  const id = BigInt(campaignId);
  const call = { address: contract, abi, account: merchant, gas: 2_000_000n, chain: null } as const;
  const order = (name: string) =>
    [id, terms, BigInt(nodeId), merchant, SKU, keccak256(toHex(name)), maxUint256, 1] as const;
  await client.setAutomine(false);
  const first = await client.writeContract({
    ...call,
    functionName: 'createCampaign',
    args: [input, policyOf(token)],
  });
  await client.writeContract({ ...call, functionName: 'fund', args: [id, terms, 150_000n] });
  const joining = [id, terms, 0n, zeroAddress] as const;
  await client.writeContract({ ...call, functionName: 'join', args: joining });
  const orders = [order('first of a block'), order('second of a block')];
  for (const args of orders) {
    await client.writeContract({ ...call, functionName: 'buy', args });
  }
  const funding = [id, terms, 5n] as const;
  const last = await client.writeContract({ ...call, functionName: 'fund', args: funding });
  await client.mine({ blocks: 1 });
  await client.setAutomine(true);
  const [created, funded] = [await receiptOf(client, first), await receiptOf(client, last)];
  if (created.blockHash !== funded.blockHash) throw new Error('The calls did not share a block.');
  return { firstOfBlock: BigInt(saleId), secondOfBlock: BigInt(saleId + 1) };
}
