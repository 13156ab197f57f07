import { type Address, encodeFunctionData, getContract, type Hex, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { hostileTokenAbi, hostileTokenBytecode } from '../../abis/test/hostileToken.ts';
import { buyArgs, fundArgs, joinArgs } from './calls.ts';
import { buyOrderFor, byAllowance, fundOrderFor, joinOrderFor } from './orders.ts';
import { attestationFor, inputFor, noLimits, policyFor } from './scenes.ts';
import {
  by,
  type Client,
  deploy,
  hashOf,
  maxUint256,
  nextAt,
  sent,
  sku,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();
const abi = referralCommerceAbi;
const guard = toFunctionSelector('ReentrancyGuardReentrantCall()');

function hostileAt(client: Client, address: Address) {
  return getContract({ abi: hostileTokenAbi, address, client });
}

type Hostile = ReturnType<typeof hostileAt>;

/** A campaign whose token, merchant, buyer and node are one contract that calls back. */
async function hostileCampaign(w: World): Promise<Hostile> {
  const address = await deploy(w.client, hostileTokenAbi, hostileTokenBytecode);
  const token = hostileAt(w.client, address);
  await sent(w, token.write.mint([address, 1_000_000_000_000n], by(w.stranger)));
  await execute(w, token, address, [
    encodeFunctionData({
      abi: hostileTokenAbi,
      functionName: 'approve',
      args: [w.commerce.address, maxUint256],
    }),
  ]);
  const create = encodeFunctionData({
    abi,
    functionName: 'createCampaign',
    args: [inputFor(w, { token: address }), policyFor(w, { rewardToken: address })],
  });
  await execute(w, token, w.commerce.address, [create]);
  const deposit = await fundArgs(w, 1n, 1_000_000_000n);
  const fund = encodeFunctionData({ abi, functionName: 'fund', args: deposit });
  const join = encodeFunctionData({ abi, functionName: 'join', args: await joinArgs(w, 1n, 0n) });
  await execute(w, token, w.commerce.address, [fund, join]);
  return token;
}

async function execute(w: World, token: Hostile, target: Address, calls: readonly Hex[]) {
  for (const data of calls) {
    await sent(w, token.write.execute([target, data], by(w.stranger)));
  }
}

/** Every function that changes state, with arguments that would do where it may run. */
async function everyCall(w: World, token: Address): Promise<Map<string, Hex>> {
  const encode = encodeFunctionData;
  const input = inputFor(w, { token });
  const policy = policyFor(w, { rewardToken: token });
  const attestation = await attestationFor(w, 1n);
  const order = await buyArgs(w, { nodeId: 1n, orderKey: hashOf('again') });
  const deposit = await fundArgs(w, 1n, 1n);
  const place = await joinArgs(w, 1n, 0n);
  // The sale that the purchase of this list makes.
  const sale = {
    campaignId: 1n,
    termsHash: order[1],
    buyer: token,
    orderKey: hashOf('again'),
  };
  const buyOrder = await buyOrderFor(w);
  const reason = hashOf('reason');
  const later = 1_900_000_000n;
  const account = w.stranger;
  return new Map([
    ['createCampaign', encode({ abi, functionName: 'createCampaign', args: [input, policy] })],
    ['fund', encode({ abi, functionName: 'fund', args: deposit })],
    ['setVariantPrice', encode({ abi, functionName: 'setVariantPrice', args: [1n, sku, 1n] })],
    ['schedulePolicy', encode({ abi, functionName: 'schedulePolicy', args: [1n, policy, later] })],
    ['pause', encode({ abi, functionName: 'pause', args: [1n] })],
    ['resume', encode({ abi, functionName: 'resume', args: [1n] })],
    ['end', encode({ abi, functionName: 'end', args: [1n] })],
    [
      'allowDistributor',
      encode({ abi, functionName: 'allowDistributor', args: [1n, account, true] }),
    ],
    [
      'allowAttester',
      encode({ abi, functionName: 'allowAttester', args: [1n, account, ...noLimits] }),
    ],
    ['raiseCapacity', encode({ abi, functionName: 'raiseCapacity', args: [1n, 200n, 200n] })],
    ['join', encode({ abi, functionName: 'join', args: place })],
    ['buy', encode({ abi, functionName: 'buy', args: order })],
    [
      'recordAttestedSale',
      encode({ abi, functionName: 'recordAttestedSale', args: [attestation, '0x'] }),
    ],
    ['refund', encode({ abi, functionName: 'refund', args: [sale, 1n, reason, 0n, '0x'] })],
    ['finalize', encode({ abi, functionName: 'finalize', args: [[1n]] })],
    ['reverse', encode({ abi, functionName: 'reverse', args: [sale, reason, 0n, '0x'] })],
    ['buyFor', encode({ abi, functionName: 'buyFor', args: [buyOrder, '0x', byAllowance] })],
    ['joinFor', encode({ abi, functionName: 'joinFor', args: [await joinOrderFor(w), '0x'] })],
    [
      'fundFor',
      encode({ abi, functionName: 'fundFor', args: [await fundOrderFor(w), '0x', byAllowance] }),
    ],
    ['claimRewards', encode({ abi, functionName: 'claimRewards', args: [[1n]] })],
    ['claimProceeds', encode({ abi, functionName: 'claimProceeds', args: [1n] })],
    ['withdrawCredit', encode({ abi, functionName: 'withdrawCredit', args: [1n, account] })],
    ['withdrawSurplus', encode({ abi, functionName: 'withdrawSurplus', args: [1n, 1n] })],
  ]);
}

describe('a token that calls back in the middle of a transfer', () => {
  it('rejects calls of a reentrant token to every function that changes state', async () => {
    const w = world();
    const token = await hostileCampaign(w);
    const calls = await everyCall(w, token.address);
    const changing = abi.flatMap((entry) =>
      entry.type === 'function' && entry.stateMutability === 'nonpayable' ? [entry.name] : [],
    );
    expect([...calls.keys()].sort()).toEqual(changing.sort());
    const fund = calls.get('fund') ?? '0x';
    for (const [name, data] of calls) {
      await sent(w, token.write.arm([w.commerce.address, data], by(w.stranger)));
      await execute(w, token, w.commerce.address, [fund]);
      expect([name, await token.read.succeeded(), await token.read.answer()]).toEqual([
        name,
        false,
        guard,
      ]);
    }
  });

  it('a token that calls back in the middle of a transfer cannot be paid twice by any function that pays', async () => {
    const w = world();
    const token = await hostileCampaign(w);
    const calls = await everyCall(w, token.address);
    const paying = ['buy', 'refund', 'claimRewards', 'claimProceeds', 'withdrawSurplus'];
    for (const name of paying) {
      const data = calls.get(name) ?? '0x';
      if (name === 'claimRewards') {
        const { holdUntil } = await w.commerce.read.sale([1n]);
        await nextAt(w, holdUntil);
        await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
      }
      if (name === 'withdrawSurplus') {
        await execute(w, token, w.commerce.address, [calls.get('end') ?? '0x']);
      }
      await sent(w, token.write.arm([w.commerce.address, data], by(w.stranger)));
      await execute(w, token, w.commerce.address, [data]);
      expect([name, await token.read.answer()]).toEqual([name, guard]);
    }
    const ledger = await w.commerce.read.campaignLedger([1n]);
    expect(ledger).toMatchObject({ buyerRefunded: 1n, surplusWithdrawn: 1n });
    const { available, vestedUnclaimed, pendingReserved } = ledger;
    const owed = available + vestedUnclaimed + pendingReserved;
    const proceeds = ledger.proceedsPending + ledger.proceedsClaimable;
    expect(await token.read.balanceOf([w.commerce.address])).toBe(owed + proceeds);
  });

  it('sees, while a purchase waits, a ledger that its balance covers', async () => {
    const w = world();
    const token = await hostileCampaign(w);
    const before = await w.commerce.read.campaignLedger([1n]);
    const calls = await everyCall(w, token.address);
    const call = encodeFunctionData({ abi, functionName: 'campaignLedger', args: [1n] });
    await sent(w, token.write.arm([w.commerce.address, call], by(w.stranger)));
    await execute(w, token, w.commerce.address, [calls.get('buy') ?? '0x']);
    expect(await token.read.succeeded()).toBe(true);
    const answer = await token.read.answer();
    expect(BigInt(answer.slice(0, 66))).toBe(before.netDeposited);
  });
});
