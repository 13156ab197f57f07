import type { Address } from 'viem';
import { describe, expect, it } from 'vitest';
import { refOf } from './calls.ts';
import {
  attest,
  funding,
  joinPath,
  noLimits,
  openCampaign,
  signRefund,
  signReversal,
  withdrawn,
} from './scenes.ts';
import {
  by,
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

/** A sale that the attester signed, in a campaign with a second attester: the stranger. */
async function attestedSale(w: World): Promise<void> {
  const { write } = w.commerce;
  await openCampaign(w, { trustMode: trustModes.thirdPartyVerified });
  await sent(w, write.allowAttester([1n, w.attester, ...noLimits], by(w.merchant)));
  await sent(w, write.allowAttester([1n, w.stranger, ...noLimits], by(w.merchant)));
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  await attest(w, w.attester, 1n, { nodeId: 1n });
}

async function refundCall(w: World, signer: Address, refundedTotal: bigint, amount: bigint) {
  const deadline = (await now(w)) + 800n;
  const sale = await refOf(w, 1n);
  const message = { ...sale, refundedTotal, reasonHash, deadline };
  return [sale, amount, reasonHash, deadline, await signRefund(w, signer, message)] as const;
}

async function reverseCall(w: World, signer: Address) {
  const deadline = (await now(w)) + 800n;
  const sale = await refOf(w, 1n);
  const message = { ...sale, reasonHash, deadline };
  return [sale, reasonHash, deadline, await signReversal(w, signer, message)] as const;
}

async function finalize(w: World): Promise<void> {
  const { holdUntil } = await w.commerce.read.sale([1n]);
  await nextAt(w, holdUntil);
  await sent(w, w.commerce.write.finalize([[1n]], by(w.stranger)));
}

describe('refund in a THIRD_PARTY_VERIFIED campaign', () => {
  it('accepts the consent of the sale’s attester, even if it is no longer allowed', async () => {
    const w = world();
    await attestedSale(w);
    await sent(w, w.commerce.write.allowAttester([1n, w.attester, ...withdrawn], by(w.merchant)));
    const args = await refundCall(w, w.attester, 40n, 40n);
    const { events } = await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    expect(events).toMatchObject([
      { name: 'RewardReleased', args: { amount: 4n } },
      { name: 'SaleRefunded', args: { amount: 40n, refundedTotal: 40n, reasonHash } },
    ]);
  });

  it('a refund in a THIRD_PARTY_VERIFIED campaign cannot use a consent twice, because it names the total', async () => {
    const w = world();
    await attestedSale(w);
    const args = await refundCall(w, w.attester, 40n, 40n);
    await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    const as = { account: w.merchant };
    const refused = { error: 'InvalidSignature', values: [w.attester] };
    expect(await refusal(w.commerce.simulate.refund(args, as))).toEqual(refused);
    const next = await refundCall(w, w.attester, 70n, 30n);
    await sent(w, w.commerce.write.refund(next, by(w.merchant)));
    expect(await w.commerce.read.sale([1n])).toMatchObject({ refundedTotal: 70n });
  });

  it('refuses the merchant’s own consent, another attester’s, and none', async () => {
    const w = world();
    await attestedSale(w);
    const as = { account: w.merchant };
    const refused = { error: 'InvalidSignature', values: [w.attester] };
    for (const signer of [w.merchant, w.stranger]) {
      const args = await refundCall(w, signer, 40n, 40n);
      expect(await refusal(w.commerce.simulate.refund(args, as))).toEqual(refused);
    }
    const [sale, amount, reason, deadline] = await refundCall(w, w.attester, 40n, 40n);
    const none = w.commerce.simulate.refund([sale, amount, reason, deadline, '0x'], as);
    expect(await refusal(none)).toEqual(refused);
  });

  it('refuses a consent after its deadline, and accepts it at the exact second', async () => {
    const w = world();
    await attestedSale(w);
    const args = await refundCall(w, w.attester, 40n, 40n);
    const deadline = args[3];
    const id = await w.client.snapshot();
    await nextAt(w, deadline);
    await sent(w, w.commerce.write.refund(args, by(w.merchant)));
    await w.client.revert({ id });
    await mineAt(w, deadline + 1n);
    const call = w.commerce.simulate.refund(args, { account: w.merchant });
    expect(await refusal(call)).toMatchObject({
      error: 'SignatureExpired',
      values: [deadline, expect.toSatisfy((time: bigint) => time > deadline)],
    });
  });

  it('accepts a deadline 900 seconds ahead, and refuses a later one', async () => {
    const w = world();
    await attestedSale(w);
    const sale = await refOf(w, 1n);
    const at = (await now(w)) + 10n;
    const call = async (deadline: bigint) => {
      const message = { ...sale, refundedTotal: 40n, reasonHash, deadline };
      return [sale, 40n, reasonHash, deadline, await signRefund(w, w.attester, message)] as const;
    };
    await mineAt(w, at);
    const simulated = w.commerce.simulate.refund(await call(at + 10_000n), {
      account: w.merchant,
    });
    expect(await refusal(simulated)).toMatchObject({
      error: 'ValidityTooLong',
      values: [at + 10_000n, expect.toSatisfy((latest: bigint) => latest >= at + 900n)],
    });
    const id = await w.client.snapshot();
    await nextAt(w, at + 50n);
    const late = w.commerce.write.refund(await call(at + 951n), by(w.merchant));
    await expect(sent(w, late)).rejects.toBeInstanceOf(TransactionReverted);
    await w.client.revert({ id });
    await nextAt(w, at + 50n);
    await sent(w, w.commerce.write.refund(await call(at + 950n), by(w.merchant)));
    expect(await w.commerce.read.sale([1n])).toMatchObject({ refundedTotal: 40n });
  });

  it('refuses a consent sent by any account but the merchant', async () => {
    const w = world();
    await attestedSale(w);
    const args = await refundCall(w, w.attester, 40n, 40n);
    const call = w.commerce.simulate.refund(args, { account: w.attester });
    expect(await refusal(call)).toEqual({ error: 'NotMerchant', values: [1n, w.attester] });
  });
});

describe('reverse in a THIRD_PARTY_VERIFIED campaign', () => {
  it('accepts the consent of the sale’s attester', async () => {
    const w = world();
    await attestedSale(w);
    await finalize(w);
    const args = await reverseCall(w, w.attester);
    const { events } = await sent(w, w.commerce.write.reverse(args, by(w.merchant)));
    expect(events).toMatchObject([{ name: 'RewardReversed' }, { name: 'SaleReversed' }]);
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ available: funding });
    expect(await w.commerce.read.sale([1n])).toMatchObject({ status: saleStatuses.reversed });
  });

  it('refuses a deadline that is more than 900 seconds ahead', async () => {
    const w = world();
    await attestedSale(w);
    await finalize(w);
    const sale = await refOf(w, 1n);
    const deadline = (await now(w)) + 1_000n;
    const signature = await signReversal(w, w.attester, { ...sale, reasonHash, deadline });
    const args = [sale, reasonHash, deadline, signature] as const;
    const call = w.commerce.simulate.reverse(args, { account: w.merchant });
    expect(await refusal(call)).toMatchObject({ error: 'ValidityTooLong' });
  });

  it('refuses the consent of another account, for another reason, an expired one and one for a refund', async () => {
    const w = world();
    await attestedSale(w);
    await finalize(w);
    const as = { account: w.merchant };
    const refused = { error: 'InvalidSignature', values: [w.attester] };
    const strangers = await reverseCall(w, w.stranger);
    expect(await refusal(w.commerce.simulate.reverse(strangers, as))).toEqual(refused);
    const [sale, , deadline, signature] = await reverseCall(w, w.attester);
    const otherReason = [sale, hashOf('other'), deadline, signature] as const;
    expect(await refusal(w.commerce.simulate.reverse(otherReason, as))).toEqual(refused);
    const refund = await refundCall(w, w.attester, 40n, 40n);
    const forRefund = [sale, reasonHash, refund[3], refund[4]] as const;
    expect(await refusal(w.commerce.simulate.reverse(forRefund, as))).toEqual(refused);
    await mineAt(w, deadline + 1n);
    const old = [sale, reasonHash, deadline, signature] as const;
    expect((await refusal(w.commerce.simulate.reverse(old, as))).error).toBe('SignatureExpired');
  });
});
