import { describe, expect, it } from 'vitest';
import { buyArgs, fundArgs, joinArgs, refundArgs, reverseArgs } from './calls.ts';
import {
  attest,
  attestationFor,
  buyFrom,
  createCampaign,
  funding,
  joinPath,
  noLimits,
  openCampaign,
  policyFor,
  signSale,
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
  sent,
  sku,
  states,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/** A native campaign, 1, and an attested one, 2: each with a node and two pending sales. */
async function busyCampaigns(w: World): Promise<void> {
  await openCampaign(w);
  await openCampaign(w, { trustMode: trustModes.merchantAttested });
  await joinPath(w, 1n, w.nodes.slice(0, 1));
  await joinPath(w, 2n, w.nodes.slice(1, 2));
  await buyFrom(w, 1n, 1n, 'a');
  await buyFrom(w, 1n, 1n, 'b');
  await attest(w, w.merchant, 2n, { nodeId: 2n, nonce: 1n, orderKey: hashOf('a') });
  await attest(w, w.merchant, 2n, { nodeId: 2n, nonce: 2n, orderKey: hashOf('b') });
}

async function refusedBuy(w: World) {
  const order = await buyArgs(w, { nodeId: 1n, orderKey: hashOf('new') });
  return refusal(w.commerce.simulate.buy(order, { account: w.buyer }));
}

async function refusedAttestation(w: World) {
  const attestation = await attestationFor(w, 2n, { nonce: 3n, orderKey: hashOf('new') });
  const args = [attestation, await signSale(w, w.merchant, attestation)] as const;
  return refusal(w.commerce.simulate.recordAttestedSale(args, { account: w.stranger }));
}

/** How `buy`, `recordAttestedSale` and `join` refuse. */
async function stoppedBy(w: World) {
  const as = { account: w.stranger };
  const join = await refusal(w.commerce.simulate.join(await joinArgs(w, 1n, 0n), as));
  return [await refusedBuy(w), await refusedAttestation(w), join];
}

function stops(state: number): unknown[] {
  const error = 'WrongState';
  return [
    { error, values: [1n, state] },
    { error, values: [2n, state] },
    { error, values: [1n, state] },
  ];
}

/** Everything that a stopped campaign must still do; throws where something reverts. */
async function everythingElse(w: World): Promise<void> {
  const { write } = w.commerce;
  const merchant = by(w.merchant);
  const [a, b] = w.nodes;
  const later = (await now(w)) + 200n * day;
  const policy = policyFor(w, { expiry: later + day });
  await sent(w, write.fund(await fundArgs(w, 1n, 5n), by(w.buyer)));
  await sent(w, write.setVariantPrice([1n, hashOf('other'), 3n], merchant));
  await sent(w, write.schedulePolicy([1n, policy, later], merchant));
  await sent(w, write.allowDistributor([1n, w.stranger, true], merchant));
  await sent(w, write.allowAttester([1n, w.stranger, ...noLimits], merchant));
  await sent(w, write.raiseCapacity([1n, 200n, 200n], merchant));
  await sent(w, write.refund(await refundArgs(w, 1n, 10n), merchant));
  await sent(w, write.refund(await refundArgs(w, 3n, 10n), merchant));
  const { holdUntil } = await w.commerce.read.sale([4n]);
  if (holdUntil > (await now(w))) await nextAt(w, holdUntil);
  await sent(w, write.finalize([[1n, 2n, 3n, 4n]], by(w.stranger)));
  await sent(w, write.claimRewards([[1n]], by(a)));
  await sent(w, write.reverse(await reverseArgs(w, 3n), merchant));
  await sent(w, write.claimRewards([[2n]], by(b)));
  await sent(w, write.claimProceeds([1n], merchant));
}

describe('a stop of buy, recordAttestedSale and join, and of nothing else', () => {
  it('refuses purchases, attested sales and nodes, and nothing else, after pause', async () => {
    const w = world();
    await busyCampaigns(w);
    for (const id of [1n, 2n]) await sent(w, w.commerce.write.pause([id], by(w.merchant)));
    expect(await stoppedBy(w)).toEqual(stops(states.paused));
    await everythingElse(w);
    await sent(w, w.commerce.write.resume([1n], by(w.merchant)));
    expect(await buyFrom(w, 1n, 1n, 'resumed')).toBe(5n);
  });

  it('refuses purchases, attested sales and nodes, and nothing else, after end', async () => {
    const w = world();
    await busyCampaigns(w);
    for (const id of [1n, 2n]) await sent(w, w.commerce.write.end([id], by(w.merchant)));
    expect(await stoppedBy(w)).toEqual(stops(states.ended));
    await everythingElse(w);
    const { available } = await w.commerce.read.campaignLedger([1n]);
    await sent(w, w.commerce.write.withdrawSurplus([1n, available], by(w.merchant)));
  });

  it('refuses purchases, attested sales and nodes, and nothing else, after the policy’s expiry', async () => {
    const w = world();
    await busyCampaigns(w);
    await mineAt(w, genesisTime + 90n * day);
    expect(await stoppedBy(w)).toEqual(stops(states.expired));
    await everythingElse(w);
    await sent(w, w.commerce.write.end([1n], by(w.merchant)));
  });
});

describe('a campaign without funds', () => {
  it('refuses sales before the first funding', async () => {
    const w = world();
    await createCampaign(w);
    await createCampaign(w, { trustMode: trustModes.merchantAttested });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const error = 'WrongState';
    expect([await refusedBuy(w), await refusedAttestation(w)]).toEqual([
      { error, values: [1n, states.unfunded] },
      { error, values: [2n, states.unfunded] },
    ]);
  });

  it('accepts sales once funded, even if the vault is empty again', async () => {
    const w = world();
    await openCampaign(w, {}, { commissionBps: 10_000 });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    await sent(w, w.commerce.write.setVariantPrice([1n, sku, funding], by(w.merchant)));
    await buyFrom(w, 1n, 1n, 'takes all');
    expect(await w.commerce.read.campaignLedger([1n])).toMatchObject({ available: 0n });
    await buyFrom(w, 1n, 1n, 'gets nothing');
    expect(await w.commerce.read.sale([2n])).toMatchObject({ shares: [0n] });
  });
});

describe('endsAt', () => {
  it('expires the campaign at the exact second, whatever the policy says', async () => {
    const w = world();
    await openCampaign(w, { endsAt: genesisTime + day });
    await nextAt(w, genesisTime + day - 1n);
    await buyFrom(w, 1n, 0n, 'last second');
    await mineAt(w, genesisTime + day);
    expect(await w.commerce.read.campaignState([1n])).toBe(states.expired);
  });
});
