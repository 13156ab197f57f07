import {
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  toFunctionSelector,
  toHex,
} from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { decodeLogs, logsOf } from '../../engine/verify/chain/decode.ts';
import { decoderOf } from '../../engine/verify/chain/topics.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { policyHashesOf } from '../../engine/verify/policy-hash.ts';
import { encodeArgs } from '../../src/encode.ts';
import { FAR_FUTURE, policyOf, SKU, send, termsOf } from '../support/actions.ts';
import { mined } from '../support/chain.ts';
import { batchingClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { playSales, sell, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;

beforeAll(async () => {
  scene = await startVerifyFixture();
});
afterAll(() => scene?.chain.stop());

/** `createCampaign` with lists of any bytes where text belongs: both are encoded in the same way. */
async function createWithBytes(regions: readonly Hex[], sharingRules: readonly Hex[]) {
  const { chain, merchant, token } = scene;
  const item = referralCommerceAbi.find(
    (entry) => entry.type === 'function' && entry.name === 'createCampaign',
  );
  if (item?.type !== 'function') throw new Error('There is no createCampaign.');
  const asBytes = JSON.parse(JSON.stringify(item.inputs).replaceAll('"string[]"', '"bytes[]"'));
  const input = {
    token,
    price: 1_000_000n,
    skuHash: SKU,
    metadataHash: numberToHex(0, { size: 32 }),
    startsAt: 0n,
    endsAt: FAR_FUTURE,
    nodeCapacity: 9n,
    saleCapacity: 9n,
    trustMode: 0,
    nodesPerAccount: 0,
    inviteOnly: false,
    salt: keccak256(toHex('bytes')),
  };
  const policy = { ...policyOf(token), regions, sharingRules };
  const data = concatHex([toFunctionSelector(item), encodeAbiParameters(asBytes, [input, policy])]);
  const hash = await chain.client.sendTransaction({ account: merchant, to: chain.contract, data });
  await mined(chain.client, hash);
  const { contract: address, client } = chain;
  const count = { address, abi: referralCommerceAbi, functionName: 'campaignCount' } as const;
  return BigInt(await client.readContract(count));
}

it('verifies a sale whose policy has text that is no UTF-8', async () => {
  const { chain, merchant } = scene;
  const campaignId = await createWithBytes(['0xff00fe', toHex('\uFEFFEU')], ['0xeda080', '0x']);
  await send(chain, merchant, 'fund', [campaignId, await termsOf(chain, campaignId), 1_000n]);
  const saleId = await sell(scene, campaignId);
  const served = (await receiptsOf(chain))(saleId);
  expect(served.policy.regions[0]).toContain('\uFFFD');
  const { client } = batchingClient(chain.anvil.url);
  const result = await verifySale({
    client,
    contractAddress: chain.contract,
    saleId: saleId.toString(),
    served,
  });
  expect(result.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
});

it('reads every event as the indexer does, and hashes every policy as the contract does', async () => {
  await playSales(scene);
  const { anvil, contract } = scene.chain;
  const { client } = batchingClient(anvil.url);
  const events = await client.getContractEvents({
    address: contract,
    abi: referralCommerceAbi,
    fromBlock: 0n,
    strict: true,
  });
  const raw = await client.request({
    method: 'eth_getLogs',
    params: [{ address: contract, fromBlock: '0x0' }],
  });
  const logs = decodeLogs(raw, contract);
  expect(logs.length).toBe(events.length);
  for (const [i, { args, topics }] of events.entries()) {
    const indexed = encodeArgs(decoderOf(topics[0])?.item.inputs ?? [], { ...args });
    const { campaignId, ...json } = indexed;
    expect(logs[i]?.json).toEqual(json);
    expect(logs[i]?.campaignId).toBe(campaignId);
  }
  const scheduled = logsOf(logs, 'PolicyScheduled');
  expect(scheduled.length).toBeGreaterThan(8);
  for (const { data, args } of scheduled) {
    const { eligibilityHash, policyHash } = args;
    expect(policyHashesOf(data)).toEqual({ eligibilityHash, policyHash });
  }
});
