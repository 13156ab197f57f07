import { describe, expect, it } from 'vitest';
import { refOf, refundArgs, reverseArgs } from './calls.ts';
import { attest, buyFrom, funding, joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  hashOf,
  mineAt,
  nextAt,
  now,
  refusal,
  saleStatuses,
  sent,
  skipReasons,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();
const window = 2_592_000n;
const sale = { saleId: 1n, campaignId: 1n };

/** An attested sale through three nodes, or owned as given, that is final. Answers when. */
async function finalSale(w: World, owners = w.nodes.slice(0, 3)): Promise<bigint> {
  await openCampaign(w, { trustMode: trustModes.merchantAttested });
  const path = await joinPath(w, 1n, owners);
  await attest(w, w.merchant, 1n, { nodeId: path.at(-1) ?? 0n });
  return finalize(w, 1n);
}

async function finalize(w: World, saleId: bigint): Promise<bigint> {
  const { holdUntil } = await w.commerce.read.sale([saleId]);
  if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
  return (await sent(w, w.commerce.write.finalize([[saleId]], by(w.stranger)))).timestamp;
}

async function reverse(w: World, saleId = 1n) {
  return sent(w, w.commerce.write.reverse(await reverseArgs(w, saleId), by(w.merchant)));
}

async function refusedReverse(w: World, saleId = 1n) {
  return refusal(
    w.commerce.simulate.reverse(await reverseArgs(w, saleId), { account: w.merchant }),
  );
}

describe('reverse', () => {
  it('reverses every level completely', async () => {
    const w = world();
    await finalSale(w);
    const { events } = await reverse(w);
    const [a, b, c] = w.nodes;
    expect(events).toEqual([
      {
        name: 'RewardReversed',
        args: { ...sale, level: 1, nodeId: 3n, recipient: c, amount: 5_882_354n },
      },
      {
        name: 'RewardReversed',
        args: { ...sale, level: 2, nodeId: 2n, recipient: b, amount: 2_352_941n },
      },
      {
        name: 'RewardReversed',
        args: { ...sale, level: 3, nodeId: 1n, recipient: a, amount: 1_764_705n },
      },
      { name: 'SaleReversed', args: { ...sale, reasonHash: hashOf('reason') } },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding,
      vestedUnclaimed: 0n,
    });
    expect(await w.commerce.read.claimableRewards([1n, c])).toBe(0n);
    expect(await w.commerce.read.sale([1n])).toMatchObject({ status: saleStatuses.reversed });
  });

  it('accepts a reversal in the last second of 30 days, and none later', async () => {
    const w = world();
    const lastSecond = (await finalSale(w)) + window;
    await mineAt(w, lastSecond - 1n);
    const id = await w.client.snapshot();
    await nextAt(w, lastSecond);
    await reverse(w);
    await w.client.revert({ id });
    await mineAt(w, lastSecond + 1n);
    expect(await refusedReverse(w)).toEqual({
      error: 'ReversalTooLate',
      values: [1n, lastSecond],
    });
  });

  it('reverses no level whose recipient has claimed since it vested', async () => {
    const w = world();
    await finalSale(w);
    const [a, b, c] = w.nodes;
    await sent(w, w.commerce.write.claimRewards([[1n]], by(b)));
    const { events } = await reverse(w);
    expect(events).toMatchObject([
      { name: 'RewardReversed', args: { level: 1, recipient: c } },
      { name: 'RewardReversed', args: { level: 3, recipient: a } },
      { name: 'SaleReversed' },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding - 2_352_941n,
      vestedUnclaimed: 0n,
      rewardsClaimed: 2_352_941n,
    });
  });

  it('reverses a level that vested after its recipient’s last claim', async () => {
    const w = world();
    await finalSale(w);
    const [, , c] = w.nodes;
    await attest(w, w.merchant, 1n, { nodeId: 3n, nonce: 2n, orderKey: hashOf('second') });
    await sent(w, w.commerce.write.claimRewards([[1n]], by(c)));
    await finalize(w, 2n);
    const second = await reverse(w, 2n);
    expect(second.events).toMatchObject([
      { args: { saleId: 2n, level: 1, amount: 5_882_354n } },
      { args: { level: 2 } },
      { args: { level: 3 } },
      { name: 'SaleReversed' },
    ]);
    const first = await reverse(w, 1n);
    expect(first.events).toMatchObject([
      { args: { saleId: 1n, level: 2 } },
      { args: { level: 3 } },
      { name: 'SaleReversed' },
    ]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({
      available: funding - 5_882_354n,
      vestedUnclaimed: 0n,
      rewardsClaimed: 5_882_354n,
    });
  });

  it('treats the levels of one account alike, and ignores a claim in another campaign', async () => {
    const w = world();
    const [a, b] = w.nodes;
    await finalSale(w, [a, b, a]);
    const id = await w.client.snapshot();
    await sent(w, w.commerce.write.claimRewards([[1n]], by(a)));
    expect((await reverse(w)).events).toMatchObject([
      { args: { level: 2, recipient: b } },
      { name: 'SaleReversed' },
    ]);
    await w.client.revert({ id });
    await openCampaign(w);
    await joinPath(w, 2n, [a]);
    await buyFrom(w, 2n, 4n);
    await finalize(w, 2n);
    await sent(w, w.commerce.write.claimRewards([[2n]], by(a)));
    expect((await reverse(w)).events).toHaveLength(4);
  });

  it('reverses the rewards that remain after refunds', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await attest(w, w.merchant, 1n, { nodeId: 1n });
    await sent(w, w.commerce.write.refund(await refundArgs(w, 1n, price / 4n), by(w.merchant)));
    await finalize(w, 1n);
    expect((await reverse(w)).events).toMatchObject([
      { name: 'RewardReversed', args: { amount: 7_500_000n } },
      { name: 'SaleReversed' },
    ]);
  });

  it('emits only the reversal if the sale was direct', async () => {
    const w = world();
    await finalSale(w, []);
    expect((await reverse(w)).events).toMatchObject([{ name: 'SaleReversed' }]);
  });

  it('reverses only finalized, attested sales, and each once', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await attest(w, w.merchant, 1n);
    const error = 'SaleNotFinalized';
    expect(await refusedReverse(w)).toEqual({ error, values: [1n, saleStatuses.pending] });
    await finalize(w, 1n);
    await reverse(w);
    expect(await refusedReverse(w)).toEqual({ error, values: [1n, saleStatuses.reversed] });
    const again = await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
    expect(again.events).toMatchObject([
      { name: 'FinalizeSkipped', args: { reason: skipReasons.alreadyClosed } },
    ]);
    await openCampaign(w);
    await buyFrom(w, 2n, 0n);
    await finalize(w, 2n);
    expect(await refusedReverse(w, 2n)).toEqual({ error: 'WrongTrustMode', values: [2n, 0] });
    expect(await refusedReverse(w, 3n)).toEqual({
      error: 'UnknownOrder',
      values: [1n, w.buyer, hashOf('no such order')],
    });
  });

  it('requires no attester’s signature in a MERCHANT_ATTESTED campaign', async () => {
    const w = world();
    await finalSale(w);
    const args = [await refOf(w, 1n), hashOf('reason'), 0n, '0x00'] as const;
    const call = w.commerce.simulate.reverse(args, { account: w.merchant });
    expect(await refusal(call)).toEqual({ error: 'UnexpectedSignature', values: [1n] });
  });
});
