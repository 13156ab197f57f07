import type { Address } from 'viem';
import { describe, expect, it } from 'vitest';
import { buyArgs } from './calls.ts';
import {
  attest,
  attestationFor,
  buyFrom,
  joinPath,
  openCampaign,
  policyFor,
  signSale,
} from './scenes.ts';
import {
  by,
  genesisTime,
  hashOf,
  hour,
  mineAt,
  nextAt,
  refusal,
  sent,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();
const excludes = { excludesSelfReferral: true };

/** A path of six nodes, one of which is the buyer's; `level` counts from the selling node. */
function pathWith(w: World, level: number): Address[] {
  const path: Address[] = [...w.nodes];
  path[path.length - level] = w.buyer;
  return path;
}

async function refusedBuy(w: World, nodeId: bigint) {
  const order = await buyArgs(w, { nodeId });
  return refusal(w.commerce.simulate.buy(order, { account: w.buyer }));
}

describe('a policy that excludes self-referral', () => {
  it('refuses a buyer who owns the node of any rewarded level', async () => {
    const w = world();
    for (const level of [1, 2, 3, 4, 5]) {
      const id = await w.client.snapshot();
      await openCampaign(w, {}, excludes);
      await joinPath(w, 1n, pathWith(w, level));
      const nodeId = BigInt(7 - level);
      expect([level, await refusedBuy(w, 6n)]).toEqual([
        level,
        { error: 'SelfReferral', values: [1n, w.buyer, nodeId] },
      ]);
      await w.client.revert({ id });
    }
  });

  it('allows a buyer whose node is beyond the rewarded levels', async () => {
    const w = world();
    await openCampaign(w, {}, excludes);
    await joinPath(w, 1n, pathWith(w, 6));
    expect(await buyFrom(w, 1n, 6n)).toBe(1n);
    const two = { ...excludes, maxRewardedAncestors: 2, weightsBps: [6_000, 4_000] };
    await openCampaign(w, {}, two);
    const [, , , , , node] = await joinPath(w, 2n, pathWith(w, 3));
    expect(await buyFrom(w, 2n, node ?? 0n)).toBe(2n);
  });

  it('refuses a buyer whose level gets nothing of a pool of zero', async () => {
    const w = world();
    await openCampaign(w, { price: 1n }, excludes);
    await joinPath(w, 1n, pathWith(w, 5));
    expect(await refusedBuy(w, 6n)).toEqual({ error: 'SelfReferral', values: [1n, w.buyer, 2n] });
  });

  it('allows a direct sale to the owner of a node, and a sale to anybody else', async () => {
    const w = world();
    await openCampaign(w, {}, excludes);
    await joinPath(w, 1n, pathWith(w, 1));
    expect(await buyFrom(w, 1n, 0n)).toBe(1n);
    expect(await buyFrom(w, 1n, 5n, 'above the buyer')).toBe(2n);
    const order = await buyArgs(w, { nodeId: 6n });
    await sent(w, w.commerce.write.buy(order, by(w.merchant)));
    expect(await w.commerce.read.saleCount()).toBe(3);
  });

  it('refuses an attested sale by the buyer that it names, not by its sender', async () => {
    const w = world();
    await openCampaign(w, { trustMode: trustModes.merchantAttested }, excludes);
    await joinPath(w, 1n, pathWith(w, 2));
    const attestation = await attestationFor(w, 1n, { nodeId: 6n });
    const args = [attestation, await signSale(w, w.merchant, attestation)] as const;
    for (const account of [w.stranger, w.buyer]) {
      const call = w.commerce.simulate.recordAttestedSale(args, { account });
      expect(await refusal(call)).toEqual({ error: 'SelfReferral', values: [1n, w.buyer, 5n] });
    }
    expect(await attest(w, w.merchant, 1n, { nodeId: 6n, buyer: w.stranger })).toBe(1n);
  });

  it('decides from its version on', async () => {
    const w = world();
    await openCampaign(w);
    await joinPath(w, 1n, pathWith(w, 1));
    const effectiveAt = genesisTime + 2n * hour;
    const args = [1n, policyFor(w, excludes), effectiveAt] as const;
    await sent(w, w.commerce.write.schedulePolicy(args, by(w.merchant)));
    await nextAt(w, effectiveAt - 1n);
    await buyFrom(w, 1n, 6n, 'before');
    const order = await buyArgs(w, { nodeId: 6n, orderKey: hashOf('after') });
    await mineAt(w, effectiveAt);
    expect(await refusal(w.commerce.simulate.buy(order, { account: w.buyer }))).toMatchObject({
      error: 'SelfReferral',
    });
    const { excludesSelfReferral } = await w.commerce.read.policyAt([1n, effectiveAt]);
    expect(excludesSelfReferral).toBe(true);
  });
});
