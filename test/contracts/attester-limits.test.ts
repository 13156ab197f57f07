import type { Address } from 'viem';
import { describe, expect, it } from 'vitest';
import { refOf } from './calls.ts';
import {
  type Attestation,
  attest,
  attestationFor,
  joinPath,
  maxAmount,
  maxTime,
  openCampaign,
  signRefund,
  signReversal,
  signSale,
  withdrawn,
} from './scenes.ts';
import {
  by,
  day,
  genesisTime,
  hashOf,
  mineAt,
  nextAt,
  now,
  refusal,
  saleStatuses,
  sent,
  TransactionReverted,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();
const reasonHash = hashOf('reason');
/** A midnight of UTC after the start of every chain, unix seconds. */
const midnight = (genesisTime / day + 2n) * day;

type Limits = { perOrder?: bigint; daily?: bigint; expiry?: bigint };

function allow(w: World, limits: Limits, account: Address = w.attester) {
  const { perOrder = maxAmount, daily = maxAmount, expiry = maxTime } = limits;
  const args = [1n, account, perOrder, daily, expiry] as const;
  return sent(w, w.commerce.write.allowAttester(args, by(w.merchant)));
}

/** Campaign 1, whose attester has these limits, with one node. */
async function openLimited(w: World, limits: Limits): Promise<void> {
  await openCampaign(w, { trustMode: trustModes.thirdPartyVerified });
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  await allow(w, limits);
}

let orders = 0;

/** A sale of an amount, with its own order key and nonce. */
function sell(w: World, amount: bigint, changes: Partial<Attestation> = {}) {
  const nonce = BigInt(++orders);
  const order = { nonce, orderKey: hashOf(`limited ${nonce}`), amount, nodeId: 1n, ...changes };
  return attest(w, w.attester, 1n, order);
}

/** Why the contract refuses a sale of an amount. */
async function refused(w: World, amount: bigint, signer = w.attester) {
  const nonce = BigInt(++orders);
  const order = { nonce, orderKey: hashOf(`limited ${nonce}`), amount };
  const attestation = await attestationFor(w, 1n, order);
  const args = [attestation, await signSale(w, signer, attestation)] as const;
  return refusal(w.commerce.simulate.recordAttestedSale(args, { account: w.stranger }));
}

/** Signs a sale now and sends it in a block at a time: true if it was recorded. */
async function soldAt(w: World, time: bigint, amount: bigint): Promise<boolean> {
  const nonce = BigInt(++orders);
  const orderKey = hashOf(`limited ${nonce}`);
  const deadline = time + 60n;
  const attestation = await attestationFor(w, 1n, { nonce, orderKey, amount, deadline });
  const args = [attestation, await signSale(w, w.attester, attestation)] as const;
  await nextAt(w, time);
  try {
    await sent(w, w.commerce.write.recordAttestedSale(args, by(w.stranger)));
    return true;
  } catch (error) {
    if (error instanceof TransactionReverted) return false;
    throw error;
  }
}

async function attestedToday(w: World): Promise<bigint> {
  return (await w.commerce.read.attesterLimits([1n, w.attester])).attestedToday;
}

describe('the limit of one order', () => {
  it('records a sale at the limit, and refuses one unit more', async () => {
    const w = world();
    await openLimited(w, { perOrder: 100n });
    await sell(w, 100n);
    expect(await refused(w, 101n)).toEqual({
      error: 'AboveOrderLimit',
      values: [1n, w.attester, 101n, 100n],
    });
  });

  it('takes the limit of the newest permission', async () => {
    const w = world();
    await openLimited(w, { perOrder: 100n });
    await allow(w, { perOrder: 99n });
    expect(await refused(w, 100n)).toMatchObject({ error: 'AboveOrderLimit' });
    await allow(w, { perOrder: 101n });
    await sell(w, 101n);
  });
});

describe('the limit of one day', () => {
  it('records sales up to the limit, and refuses one unit more', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    await sell(w, 60n);
    expect(await attestedToday(w)).toBe(60n);
    expect(await refused(w, 41n)).toEqual({
      error: 'AboveDailyLimit',
      values: [1n, w.attester, 41n, 40n],
    });
    await sell(w, 40n);
    expect(await attestedToday(w)).toBe(100n);
    expect(await refused(w, 1n)).toEqual({
      error: 'AboveDailyLimit',
      values: [1n, w.attester, 1n, 0n],
    });
  });

  it('begins again at midnight of UTC, to the second', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    expect(await soldAt(w, midnight - 2n, 100n)).toBe(true);
    expect(await soldAt(w, midnight - 1n, 1n)).toBe(false);
    expect(await soldAt(w, midnight, 100n)).toBe(true);
    expect(await soldAt(w, midnight + 1n, 1n)).toBe(false);
    expect(await attestedToday(w)).toBe(100n);
    await mineAt(w, midnight + day - 1n);
    expect(await attestedToday(w)).toBe(100n);
    await mineAt(w, midnight + day);
    expect(await attestedToday(w)).toBe(0n);
  });

  it('counts what was attested under earlier limits of the same day', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    await mineAt(w, midnight);
    await sell(w, 80n);
    await allow(w, { daily: 50n });
    expect(await attestedToday(w)).toBe(80n);
    expect(await refused(w, 1n)).toEqual({
      error: 'AboveDailyLimit',
      values: [1n, w.attester, 1n, 0n],
    });
    await allow(w, { daily: 81n });
    await sell(w, 1n);
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...withdrawn], by(w.merchant)));
    expect(await attestedToday(w)).toBe(81n);
    await allow(w, { daily: 81n });
    expect(await refused(w, 1n)).toMatchObject({ error: 'AboveDailyLimit' });
  });

  it('counts a refunded sale like any other', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    const saleId = await sell(w, 100n);
    await refund(w, saleId, 100n);
    expect(await attestedToday(w)).toBe(100n);
    expect(await refused(w, 1n)).toMatchObject({ error: 'AboveDailyLimit' });
  });

  it('counts the sales of each attester and each campaign separately', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    await sell(w, 100n);
    await allow(w, { daily: 100n }, w.stranger);
    await attest(w, w.stranger, 1n, { amount: 100n, orderKey: hashOf('of the stranger') });
    await openCampaign(w, { trustMode: trustModes.thirdPartyVerified });
    const second = [2n, w.attester, 100n, 100n, maxTime] as const;
    await sent(w, w.commerce.write.allowAttester(second, by(w.merchant)));
    await attest(w, w.attester, 2n, { amount: 100n });
    expect(await attestedToday(w)).toBe(100n);
  });

  it('counts nothing of a sale that is refused for another reason', async () => {
    const w = world();
    await openLimited(w, { daily: 100n });
    await sell(w, 10n, { nonce: 7n });
    const again = await attestationFor(w, 1n, { nonce: 7n, amount: 10n, orderKey: hashOf('x') });
    const args = [again, await signSale(w, w.attester, again)] as const;
    const write = w.commerce.write.recordAttestedSale(args, by(w.stranger));
    await expect(sent(w, write)).rejects.toBeInstanceOf(TransactionReverted);
    expect(await attestedToday(w)).toBe(10n);
  });

  it('adds up to the largest amount without an overflow', async () => {
    const w = world();
    await openLimited(w, {});
    await sell(w, maxAmount);
    expect(await refused(w, maxAmount)).toEqual({
      error: 'AboveDailyLimit',
      values: [1n, w.attester, maxAmount, 0n],
    });
  });
});

describe('the expiry of a permission', () => {
  it('allows the last second before it, and refuses a sale at its second', async () => {
    const w = world();
    await openLimited(w, { expiry: midnight });
    expect(await soldAt(w, midnight - 1n, 1n)).toBe(true);
    expect(await soldAt(w, midnight, 1n)).toBe(false);
    await mineAt(w, midnight + 1n);
    expect(await refused(w, 1n)).toEqual({
      error: 'AttesterNotAllowed',
      values: [1n, w.attester],
    });
  });

  it('leaves the merchant of a MERCHANT_ATTESTED campaign without limits', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested });
    await allow(w, { perOrder: 1n, daily: 1n }, w.merchant);
    expect(await attest(w, w.merchant, 1n, { amount: maxAmount })).toBe(1n);
  });
});

async function refund(w: World, saleId: bigint, amount: bigint): Promise<void> {
  const deadline = (await now(w)) + 300n;
  const sale = await refOf(w, saleId);
  const { refundedTotal } = await w.commerce.read.sale([saleId]);
  const total = refundedTotal + amount;
  const message = { ...sale, refundedTotal: total, reasonHash, deadline };
  const signature = await signRefund(w, w.attester, message);
  const args = [sale, amount, reasonHash, deadline, signature] as const;
  await sent(w, w.commerce.write.refund(args, by(w.merchant)));
}

describe('a permission that was withdrawn or has expired', () => {
  it('forbids new sales, and leaves refunds and reversals possible', async () => {
    const w = world();
    const withdraw = () =>
      sent(w, w.commerce.write.allowAttester([1n, w.attester, ...withdrawn], by(w.merchant)));
    for (const forbid of [withdraw, () => mineAt(w, midnight)]) {
      const id = await w.client.snapshot();
      await openLimited(w, { expiry: midnight });
      const first = await sell(w, 1_000n);
      const second = await sell(w, 1_000n);
      await forbid();
      expect(await refused(w, 1n)).toMatchObject({ error: 'AttesterNotAllowed' });
      await refund(w, first, 500n);
      expect(await w.commerce.read.sale([first])).toMatchObject({ refundedTotal: 500n });
      const { holdUntil } = await w.commerce.read.sale([second]);
      if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
      await sent(w, w.commerce.write.finalize([[second]], by(w.stranger)));
      const sale = await refOf(w, second);
      const deadline = (await now(w)) + 300n;
      const signature = await signReversal(w, w.attester, { ...sale, reasonHash, deadline });
      const args = [sale, reasonHash, deadline, signature] as const;
      await sent(w, w.commerce.write.reverse(args, by(w.merchant)));
      expect(await w.commerce.read.sale([second])).toMatchObject({
        status: saleStatuses.reversed,
      });
      await w.client.revert({ id });
    }
  });
});
