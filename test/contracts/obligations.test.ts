import type { Address } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../abis/test/feeToken.ts';
import { fundArgs, refundArgs, reverseArgs } from './calls.ts';
import { attest, buyFrom, createCampaign, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  deploy,
  fortune,
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

/** Deploys a token of which the merchant and the buyer have much, and lets the contract take it. */
async function newToken(
  w: World,
  abi: typeof feeTokenAbi | typeof blocklistTokenAbi,
  code: `0x${string}`,
  args: readonly unknown[] = [],
) {
  const address = await deploy(w.client, abi, code, args);
  const { write } = tokenAt(w.client, address);
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, write.mint([account, fortune], by(account)));
    await sent(w, write.approve([w.commerce.address, maxUint256], by(account)));
  }
  return address;
}

/** What the ledgers of all campaigns of a token say is owed. */
async function owedByLedgers(w: World, token: Address): Promise<bigint> {
  let owed = 0n;
  const count = BigInt(await w.commerce.read.campaignCount());
  for (let campaignId = 1n; campaignId <= count; campaignId++) {
    const campaign = await w.commerce.read.campaign([campaignId]);
    if (campaign.token !== token) continue;
    const l = await w.commerce.read.campaignLedger([campaignId]);
    owed += l.available + l.pendingReserved + l.vestedUnclaimed;
    owed += l.proceedsPending + l.proceedsClaimable + l.creditOutstanding;
  }
  return owed;
}

/** Checks that the contract owes this, by its sum, by its ledgers and by its balance. */
async function expectOwed(w: World, token: Address, owed: bigint): Promise<void> {
  const balance = await tokenAt(w.client, token).read.balanceOf([w.commerce.address]);
  const sum = await w.commerce.read.obligationsOf([token]);
  expect({ sum, ledgers: await owedByLedgers(w, token), balance }).toEqual({
    sum: owed,
    ledgers: owed,
    balance: owed,
  });
}

async function finalize(w: World, saleId: bigint): Promise<void> {
  const { holdUntil } = await w.commerce.read.sale([saleId]);
  if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
  await sent(w, w.commerce.write.finalize([[saleId]], by(w.stranger)));
}

describe('obligationsOf', () => {
  it('returns zero for a token without campaigns', async () => {
    const w = world();
    expect(await w.commerce.read.obligationsOf([w.stranger])).toBe(0n);
  });

  it('follows every payment of a native campaign, to the unit', async () => {
    const w = world();
    const token = w.token.address;
    const { write } = w.commerce;
    await openCampaign(w);
    let owed = 1_000_000_000n;
    await expectOwed(w, token, owed);
    await joinPath(w, 1n, w.nodes.slice(0, 2));
    await buyFrom(w, 1n, 2n, 'first');
    await buyFrom(w, 1n, 2n, 'second');
    owed += 2n * price;
    await expectOwed(w, token, owed);
    await sent(w, write.refund(await refundArgs(w, 1n, 30n), by(w.merchant)));
    owed -= 30n;
    await expectOwed(w, token, owed);
    await sent(w, write.refund(await refundArgs(w, 2n, price), by(w.merchant)));
    owed -= price;
    await expectOwed(w, token, owed);
    await finalize(w, 1n);
    await expectOwed(w, token, owed);
    await sent(w, write.claimProceeds([1n], by(w.merchant)));
    owed -= price - 30n;
    await expectOwed(w, token, owed);
    for (const account of w.nodes.slice(0, 2)) {
      owed -= await w.commerce.read.claimableRewards([1n, account]);
      await sent(w, write.claimRewards([[1n, 1n]], by(account)));
      await expectOwed(w, token, owed);
    }
    await sent(w, write.end([1n], by(w.merchant)));
    const { available } = await w.commerce.read.campaignLedger([1n]);
    await sent(w, write.withdrawSurplus([1n, available], by(w.merchant)));
    await expectOwed(w, token, 0n);
  });

  it('counts no price of an attested sale, and its rewards once', async () => {
    const w = world();
    const token = w.token.address;
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const owed = 1_000_000_000n;
    await attest(w, w.merchant, 1n, { nodeId: 1n });
    await expectOwed(w, token, owed);
    await finalize(w, 1n);
    await sent(w, w.commerce.write.reverse(await reverseArgs(w, 1n), by(w.merchant)));
    await expectOwed(w, token, owed);
  });

  it('still counts a payment that the token refused, until the credit is withdrawn', async () => {
    const w = world();
    const token = await newToken(w, blocklistTokenAbi, blocklistTokenBytecode);
    const [distributor] = w.nodes;
    const { write } = w.commerce;
    await openCampaign(w, { token }, { rewardToken: token });
    await joinPath(w, 1n, [distributor]);
    await buyFrom(w, 1n, 1n, 'first');
    await buyFrom(w, 1n, 1n, 'second');
    await finalize(w, 1n);
    for (const account of [w.buyer, distributor]) {
      const call = { abi: blocklistTokenAbi, address: token, functionName: 'setBlocked' } as const;
      await sent(w, w.client.writeContract({ ...call, args: [account, true], ...by(w.stranger) }));
    }
    let owed = 1_000_000_000n + 2n * price;
    await sent(w, write.refund(await refundArgs(w, 2n, price), by(w.merchant)));
    await sent(w, write.claimRewards([[1n]], by(distributor)));
    await expectOwed(w, token, owed);
    await sent(w, write.withdrawCredit([1n, w.stranger], by(w.buyer)));
    owed -= price;
    await expectOwed(w, token, owed);
    await sent(w, write.withdrawCredit([1n, w.stranger], by(distributor)));
    await expectOwed(w, token, owed - 10_000_000n);
  });

  it('counts what arrived of a token that takes a fee', async () => {
    const w = world();
    const token = await newToken(w, feeTokenAbi, feeTokenBytecode, [1_000n]);
    const { write } = w.commerce;
    await createCampaign(w, { token, price: 100_000n }, { rewardToken: token });
    await sent(w, write.fund(await fundArgs(w, 1n, 1_000_000n), by(w.merchant)));
    await expectOwed(w, token, 900_000n);
    await buyFrom(w, 1n, 0n);
    await expectOwed(w, token, 990_000n);
    await sent(w, write.refund(await refundArgs(w, 1n, 90_000n), by(w.merchant)));
    await expectOwed(w, token, 900_000n);
  });

  it('adds up the campaigns of a token, and each token separately', async () => {
    const w = world();
    const token = await newToken(w, blocklistTokenAbi, blocklistTokenBytecode);
    await openCampaign(w);
    await openCampaign(w);
    await openCampaign(w, { token }, { rewardToken: token });
    await buyFrom(w, 2n, 0n);
    await buyFrom(w, 3n, 0n, 'other token');
    await expectOwed(w, w.token.address, 2_000_000_000n + price);
    await expectOwed(w, token, 1_000_000_000n + price);
  });

  it('counts nothing of a donation', async () => {
    const w = world();
    await openCampaign(w);
    await sent(w, w.token.write.transfer([w.commerce.address, 5n], by(w.buyer)));
    expect(await w.commerce.read.obligationsOf([w.token.address])).toBe(1_000_000_000n);
  });
});
