import type { Address, Hex } from 'viem';
import { buyArgs, fundArgs, joinArgs, type Order, refOf, termsOf } from './calls.ts';
import {
  attestationFor,
  inputFor,
  maxTime,
  noLimits,
  policyFor,
  price,
  signRefund,
  signReversal,
  signSale,
} from './scenes.ts';
import {
  by,
  type DecodedEvent,
  day,
  genesisTime,
  hashOf,
  now,
  sent,
  shortPathModes,
  sku,
  TransactionReverted,
  trustModes,
  type World,
} from './support.ts';

/** The order key of purchases whose terms or node owner are not those of the chain. */
export const redirectedOrder = hashOf('redirected');

/** A source of numbers that a seed decides: mulberry32. */
export type Random = {
  /** From 0 up to and without `end`. */
  readonly below: (end: number) => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
};

export function randomFrom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { below, pick: (list) => list[below(list.length)] ?? list[0] };
}

/** A campaign of each trust mode; its id is the trust mode and one. Answers the events. */
export async function createCampaigns(w: World, token: Address): Promise<DecodedEvent[]> {
  const policies = [
    { perSaleCap: 9_000_000n },
    { shortPathMode: shortPathModes.returnUnused, commissionBps: 2_500 },
    {
      campaignLiabilityCap: 300_000_000n,
      maxRewardedAncestors: 1,
      weightsBps: [10_000],
      excludesSelfReferral: true,
    },
  ];
  const events: DecodedEvent[] = [];
  const record = async (write: Promise<Hex>) => {
    events.push(...(await sent(w, write)).events);
  };
  const { write } = w.commerce;
  for (const [trustMode, changes] of policies.entries()) {
    const input = inputFor(w, { token, trustMode, endsAt: genesisTime + 60n * day });
    const policy = policyFor(w, { rewardToken: token, ...changes });
    const campaignId = BigInt(trustMode + 1);
    await record(write.createCampaign([input, policy], by(w.merchant)));
    await record(write.allowAttester([campaignId, w.attester, ...noLimits], by(w.merchant)));
    await record(write.fund(await fundArgs(w, campaignId, 200_000_000n), by(w.merchant)));
    for (const account of w.nodes.slice(0, 2)) {
      await record(write.join(await joinArgs(w, campaignId, 0n), by(account)));
    }
  }
  return events;
}

/**
 * One random call, most of them sensible. Calls that revert are part of it.
 * @param step Makes order keys and nonces.
 */
export async function act(w: World, random: Random, step: number): Promise<DecodedEvent[]> {
  const write = chooseCall(w, random, step);
  try {
    return (await sent(w, write)).events;
  } catch (error) {
    // It changed nothing, which the invariants then show.
    if (error instanceof TransactionReverted) return [];
    throw error;
  }
}

type Move = (w: World, random: Random, step: number) => Promise<Hex>;

async function chooseCall(w: World, random: Random, step: number): Promise<Hex> {
  if ((await w.commerce.read.saleCount()) === 0) return sell(w, random, step);
  // Ending is rare, so that there is something to end.
  if (random.below(150) === 0) return w.commerce.write.end([anyCampaign(random)], by(w.merchant));
  return random.pick(moves)(w, random, step);
}

const sell: Move = (w, random, step) => {
  const campaignId = anyCampaign(random);
  return campaignId === 1n ? buy(w, random, step) : attest(w, random, step, campaignId);
};

const moves: readonly [Move, ...Move[]] = [
  sell,
  sell,
  sell,
  (w, random) => refund(w, random),
  (w, random) => refund(w, random),
  (w, random) => reverse(w, random),
  (w, random) => finalize(w, random),
  (w, random) => finalize(w, random),
  async (w, random) => {
    const campaignId = anyCampaign(random);
    const args = await joinArgs(w, campaignId, await anyNode(w, random, campaignId));
    return w.commerce.write.join(args, by(random.pick(w.nodes)));
  },
  async (w, random) => {
    const amount = BigInt(random.below(20_000_000));
    const args = await fundArgs(w, anyCampaign(random), amount);
    return w.commerce.write.fund(args, by(w.merchant));
  },
  (w, random) => {
    const campaignIds = [anyCampaign(random), anyCampaign(random)];
    return w.commerce.write.claimRewards([campaignIds], by(random.pick(w.nodes)));
  },
  // Always reverts: after a reorg the number would belong to other terms, or to another owner.
  async (w, random) => {
    const campaignId = 1n;
    const nodeId = await anyNode(w, random, campaignId);
    const other = { termsHash: await termsOf(w, 2n) };
    const wrong = random.pick<Order>([other, { nodeOwner: w.merchant }]);
    const order = { campaignId, nodeId, orderKey: redirectedOrder, ...wrong };
    return w.commerce.write.buy(await buyArgs(w, order), by(w.buyer));
  },
  withdrawCredit,
  withdrawCredit,
  // Mostly of campaign 1, because only a native campaign has proceeds.
  (w, random) => {
    const campaignId = random.pick([1n, 1n, anyCampaign(random)]);
    return w.commerce.write.claimProceeds([campaignId], by(w.merchant));
  },
  (w, random) => {
    const amount = BigInt(random.below(50_000_000));
    return w.commerce.write.withdrawSurplus([anyCampaign(random), amount], by(w.merchant));
  },
  (w, random) => {
    const args = [anyCampaign(random), sku, price - BigInt(random.below(99_000_000))] as const;
    return w.commerce.write.setVariantPrice(args, by(w.merchant));
  },
  async (w, random) => {
    const { timestamp } = await w.client.getBlock();
    const some = () => BigInt(1 + random.below(300_000_000));
    const expiry = random.pick([0n, timestamp + BigInt(1 + random.below(86_400)), maxTime]);
    const limits = random.pick([noLimits, [some(), some(), expiry] as const]);
    return w.commerce.write.allowAttester([3n, w.attester, ...limits], by(w.merchant));
  },
  (w, random) => w.commerce.write.pause([anyCampaign(random)], by(w.merchant)),
  (w, random) => w.commerce.write.resume([anyCampaign(random)], by(w.merchant)),
  (w, random) => w.commerce.write.resume([anyCampaign(random)], by(w.merchant)),
];

/** Withdraws somebody's credit if there is any, to the account, which may be blocked, or elsewhere. */
async function withdrawCredit(w: World, random: Random): Promise<Hex> {
  type Owner = readonly [campaignId: bigint, account: Address];
  const owners: Owner[] = [];
  for (const campaignId of [1n, 2n, 3n]) {
    for (const account of [w.buyer, ...w.nodes]) {
      const credit = await w.commerce.read.creditOf([campaignId, account]);
      if (credit > 0n) owners.push([campaignId, account]);
    }
  }
  const [first = [anyCampaign(random), w.buyer], ...others] = owners;
  const [campaignId, account] = random.pick<Owner>([first, ...others]);
  const to = random.pick([account, w.stranger]);
  return w.commerce.write.withdrawCredit([campaignId, to], by(account));
}

async function buy(w: World, random: Random, step: number): Promise<Hex> {
  const nodeId = await anyNode(w, random, 1n);
  const order = await buyArgs(w, { nodeId, orderKey: hashOf(`order ${step}`) });
  return w.commerce.write.buy(order, by(w.buyer));
}

async function attest(w: World, random: Random, step: number, campaignId: bigint): Promise<Hex> {
  const attestation = await attestationFor(w, campaignId, {
    nodeId: await anyNode(w, random, campaignId),
    // Now and then an owner of nodes, which the policy of campaign 3 refuses.
    buyer: random.pick([w.buyer, w.buyer, w.buyer, w.nodes[0]]),
    amount: BigInt(1 + random.below(200_000_000)),
    orderKey: hashOf(`order ${step}`),
    nonce: BigInt(step),
  });
  const signer = campaignId === 2n ? w.merchant : w.attester;
  const args = [attestation, await signSale(w, signer, attestation)] as const;
  return w.commerce.write.recordAttestedSale(args, by(w.stranger));
}

async function refund(w: World, random: Random): Promise<Hex> {
  const saleId = await anySale(w, random);
  const { amount, refundedTotal, attester } = await w.commerce.read.sale([saleId]);
  const left = amount - refundedTotal;
  const part = random.pick([left, left / 2n, left / 3n, 1n, left + 1n]);
  const { reasonHash, deadline, thirdParty } = await consent(w, attester);
  const sale = await refOf(w, saleId);
  const message = { ...sale, refundedTotal: refundedTotal + part, reasonHash, deadline };
  const signature = thirdParty ? await signRefund(w, attester, message) : '0x';
  const args = [sale, part, reasonHash, deadline, signature] as const;
  return w.commerce.write.refund(args, by(w.merchant));
}

async function reverse(w: World, random: Random): Promise<Hex> {
  const saleId = await anySale(w, random);
  const { attester } = await w.commerce.read.sale([saleId]);
  const { reasonHash, deadline, thirdParty } = await consent(w, attester);
  const sale = await refOf(w, saleId);
  const message = { ...sale, reasonHash, deadline };
  const signature = thirdParty ? await signReversal(w, attester, message) : '0x';
  return w.commerce.write.reverse([sale, reasonHash, deadline, signature], by(w.merchant));
}

async function consent(w: World, attester: Address) {
  const deadline = (await now(w)) + 500n;
  return { reasonHash: hashOf('reason'), deadline, thirdParty: attester === w.attester };
}

/** Goes on in time to the end of a sale's hold, now and then by much more, and finalizes it. */
async function finalize(w: World, random: Random): Promise<Hex> {
  const saleId = await anySale(w, random);
  const { holdUntil } = await w.commerce.read.sale([saleId]);
  const leap = random.below(20) === 0 ? 5n * day : 0n;
  const wanted = holdUntil + leap;
  if (wanted > (await now(w))) await w.client.setNextBlockTimestamp({ timestamp: wanted });
  const others = [await anySale(w, random)];
  if (random.below(3) === 0)
    return w.commerce.write.finalize([[saleId, ...others]], by(w.stranger));
  return w.commerce.write.finalize([[saleId]], by(w.stranger));
}

function anyCampaign(random: Random): bigint {
  return BigInt(1 + random.below(Object.keys(trustModes).length));
}

/** A node of the campaign as a rule, else none or that of another, which reverts. */
async function anyNode({ commerce }: World, random: Random, campaignId: bigint): Promise<bigint> {
  const count = await commerce.read.nodeCount();
  if (random.below(10) === 0) return 0n;
  let nodeId = 0n;
  for (let tries = 0; tries < 8; tries++) {
    nodeId = BigInt(1 + random.below(count));
    if ((await commerce.read.node([nodeId])).campaignId === campaignId) break;
  }
  return nodeId;
}

/** A sale; there is one. */
async function anySale({ commerce }: World, random: Random): Promise<bigint> {
  return BigInt(1 + random.below(await commerce.read.saleCount()));
}
