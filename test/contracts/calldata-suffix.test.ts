import {
  createTestClient,
  decodeFunctionData,
  type Hex,
  http,
  publicActions,
  walletActions,
} from 'viem';
import { foundry } from 'viem/chains';
import { expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { withAttachedCodes } from '../../engine/core/calldata-suffix.ts';
import { buyArgs, fundArgs, joinArgs, refundArgs, reverseArgs } from './calls.ts';
import { buyOrderFor, byAllowance, fundOrderFor, joinOrderFor, signOrder } from './orders.ts';
import {
  attestationFor,
  funding,
  inputFor,
  noLimits,
  policyFor,
  price,
  signSale,
} from './scenes.ts';
import {
  by,
  commerceAt,
  type DecodedEvent,
  day,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  nextAt,
  now,
  sent,
  tokenAt,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** A world in which codes are attached to each call of the contract, and the names of the called functions. */
function suffixed(w: World): { readonly world: World; readonly called: Set<string> } {
  const called = new Set<string>();
  const fetchFn: typeof fetch = async (input, init) => {
    const { method, params, ...rest } = JSON.parse(String(init?.body));
    const [transaction] = params ?? [];
    if (method === 'eth_sendTransaction' && transaction.to === w.commerce.address) {
      const { data } = transaction;
      called.add(decodeFunctionData({ abi: referralCommerceAbi, data }).functionName);
      transaction.data = withAttachedCodes(data, ['shop', 'wallet']);
    }
    return await fetch(input, { ...init, body: JSON.stringify({ method, params, ...rest }) });
  };
  const client = createTestClient({
    mode: 'anvil',
    chain: foundry,
    transport: http(w.client.transport.url, { fetchFn }),
    pollingInterval: 5,
  })
    .extend(publicActions)
    .extend(walletActions);
  return { world: { ...w, client, commerce: commerceAt(client, w.commerce.address) }, called };
}

/** A campaign's life with a call of each function that changes something: its events, and the ledgers after it. */
async function live(w: World) {
  const { merchant, buyer, attester, stranger, nodes } = w;
  const [seller] = nodes;
  const { read, write } = w.commerce;
  const events: DecodedEvent[] = [];
  const call = async (sending: Promise<Hex>) => {
    events.push(...(await sent(w, sending)).events);
  };
  const token = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  for (const account of [merchant, buyer]) {
    const { write: writeToken } = tokenAt(w.client, token);
    await sent(w, writeToken.mint([account, fortune], by(account)));
    await sent(w, writeToken.approve([w.commerce.address, maxUint256], by(account)));
  }
  const policy = policyFor(w, { rewardToken: token });
  for (const [salt, trustMode] of [trustModes.native, trustModes.merchantAttested].entries()) {
    const input = inputFor(w, { token, trustMode, salt: hashOf(`${salt}`) });
    await call(write.createCampaign([input, policy], by(merchant)));
    const campaignId = BigInt(salt + 1);
    await call(write.fund(await fundArgs(w, campaignId, funding), by(merchant)));
    await call(write.join(await joinArgs(w, campaignId, 0n), by(seller)));
  }
  await call(write.raiseCapacity([1n, 200n, 200n], by(merchant)));
  await call(write.setVariantPrice([1n, hashOf('variant'), price], by(merchant)));
  await call(write.schedulePolicy([1n, policy, (await now(w)) + day], by(merchant)));
  await call(write.allowAttester([1n, attester, ...noLimits], by(merchant)));
  await call(write.allowDistributor([1n, seller, true], by(merchant)));
  await call(write.pause([1n], by(merchant)));
  await call(write.resume([1n], by(merchant)));
  for (const order of ['refunded', 'credited', 'finalized']) {
    const args = await buyArgs(w, { nodeId: 1n, orderKey: hashOf(order) });
    await call(write.buy(args, by(buyer)));
  }
  const fundOrder = await fundOrderFor(w);
  const ofFund = await signOrder(w, 'FundOrder', fundOrder, merchant);
  await call(write.fundFor([fundOrder, ofFund, byAllowance], by(stranger)));
  const joinOrder = await joinOrderFor(w, { account: seller });
  const ofJoin = await signOrder(w, 'JoinOrder', joinOrder, seller);
  await call(write.joinFor([joinOrder, ofJoin], by(stranger)));
  const attestation = await attestationFor(w, 2n, { nodeId: 2n });
  const signature = await signSale(w, merchant, attestation);
  await call(write.recordAttestedSale([attestation, signature], by(stranger)));
  const buyOrder = await buyOrderFor(w, { nodeId: 1n, orderKey: hashOf('ordered') });
  const ofBuy = await signOrder(w, 'BuyOrder', buyOrder, buyer);
  await call(write.buyFor([buyOrder, ofBuy, byAllowance], by(stranger)));
  await call(write.refund(await refundArgs(w, 1n, price), by(merchant)));
  const blocking = { abi: blocklistTokenAbi, address: token, functionName: 'setBlocked' } as const;
  await call(w.client.writeContract({ ...blocking, args: [buyer, true], ...by(stranger) }));
  await call(write.refund(await refundArgs(w, 2n, price), by(merchant)));
  await call(write.withdrawCredit([1n, stranger], by(buyer)));
  await nextAt(w, (await read.sale([4n])).holdUntil);
  await call(write.finalize([[3n, 4n]], by(stranger)));
  await call(write.reverse(await reverseArgs(w, 4n), by(merchant)));
  await call(write.claimRewards([[1n]], by(seller)));
  await call(write.claimProceeds([1n], by(merchant)));
  await call(write.end([1n], by(merchant)));
  await call(write.withdrawSurplus([1n, 1_000n], by(merchant)));
  return { events, ledgers: [await read.campaignLedger([1n]), await read.campaignLedger([2n])] };
}

it('emits the same events with codes attached to the calldata of each function that changes something', async () => {
  const { client } = world();
  const before = await client.snapshot();
  const plain = await live(world());
  await client.revert({ id: before });
  const { world: attaching, called } = suffixed(world());

  expect(await live(attaching)).toEqual(plain);
  const writes = referralCommerceAbi.filter(
    (item) => item.type === 'function' && !['view', 'pure'].includes(item.stateMutability),
  );
  // A function that is not here needs a call in `live`.
  expect([...called].sort()).toEqual(writes.map((item) => 'name' in item && item.name).sort());
});
