import fc from 'fast-check';
import type { Abi, Address, Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { signedTokenAbi, signedTokenBytecode } from '../../abis/test/signedToken.ts';
import {
  type BuyOrder,
  buyOrderFor,
  byAllowance,
  byAuthorization,
  byPermit,
  digestOf,
  type FundOrder,
  fundOrderFor,
  type JoinOrder,
  joinOrderFor,
  type Payment,
  paymentKinds,
  signOrder,
} from './orders.ts';
import { joinPath, openCampaign, price } from './scenes.ts';
import {
  by,
  type DecodedEvent,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  sent,
  sku,
  TransactionReverted,
  tokenAt,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();
const SEED = 33;

/** An order as its signer gave it away: everything that an attacker then knows. */
type Signed = (
  | { readonly type: 'BuyOrder'; readonly order: BuyOrder }
  | { readonly type: 'FundOrder'; readonly order: FundOrder }
  | { readonly type: 'JoinOrder'; readonly order: JoinOrder }
) & {
  readonly signer: Address;
  readonly signature: Hex;
  readonly payment: Payment;
};

/** Two buyers, each with orders for all ways to pay, and orders to fund and to join. */
async function signedOrders(w: World): Promise<Signed[]> {
  const orders: Signed[] = [];
  const buyers = [w.buyer, w.attester] as const;
  for (const signer of buyers) {
    for (const kind of Object.values(paymentKinds)) {
      const name = `${kind}`;
      const buy = await buyOrderFor(w, { buyer: signer, nodeId: 2n, orderKey: hashOf(name) });
      const fund = await fundOrderFor(w, { account: signer, salt: hashOf(name) });
      for (const [type, order] of [
        ['BuyOrder', buy],
        ['FundOrder', fund],
      ] as const) {
        const digest = digestOf(w, type, order);
        const authorized = kind === paymentKinds.authorization;
        let payment = byAllowance;
        if (authorized) payment = await byAuthorization(w, signer, price, digest);
        if (kind === paymentKinds.permit) payment = await byPermit(w, signer, price);
        const signature = authorized ? '0x' : await signOrder(w, type, order, signer);
        const part = { signer, signature, payment };
        orders.push(
          type === 'BuyOrder' ? { type, order: buy, ...part } : { type, order: fund, ...part },
        );
      }
    }
    const join = await joinOrderFor(w, { account: signer, parentNodeId: 1n });
    const signature = await signOrder(w, 'JoinOrder', join, signer);
    orders.push({ type: 'JoinOrder', order: join, signer, signature, payment: byAllowance });
  }
  return orders;
}

/** An act of the attacker, or of a merchant who is its friend. */
const act = fc.oneof(
  // An order as it is, or with the payment and signature of others.
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('send'), order: fc.nat(13) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('mix'),
      order: fc.nat(13),
      payment: fc.nat(13),
      signature: fc.nat(13),
    }),
  },
  // One field of an order is another's, or the attacker's.
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('forge'), order: fc.nat(13), field: fc.nat(9) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('permit'), order: fc.nat(13) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take'), order: fc.nat(13) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('price'),
      amount: fc.constantFrom(price - 1n, price, price + 1n),
    }),
  },
) as fc.Arbitrary<Act>;

type Act =
  | { readonly kind: 'send' | 'permit' | 'take'; readonly order: number }
  | {
      readonly kind: 'mix';
      readonly order: number;
      readonly payment: number;
      readonly signature: number;
    }
  | { readonly kind: 'forge'; readonly order: number; readonly field: number }
  | { readonly kind: 'price'; readonly amount: bigint };

const acts = fc.array(act, { minLength: 10, maxLength: 25 });

/** Sends a transaction; the events of the protocol, or undefined if it reverted. */
async function attempt(w: World, write: Promise<Hex>): Promise<DecodedEvent[] | undefined> {
  try {
    return (await sent(w, write)).events;
  } catch (error) {
    if (error instanceof TransactionReverted) return undefined;
    throw error;
  }
}

function send(w: World, { type, order, signature, payment }: Signed): Promise<Hex> {
  const { write } = w.commerce;
  const as = by(w.stranger);
  if (type === 'BuyOrder') return write.buyFor([order, signature, payment], as);
  if (type === 'FundOrder') return write.fundFor([order, signature, payment], as);
  return write.joinFor([order, signature], as);
}

/** The order with one field that an attacker chose. */
function forge(w: World, signed: Signed, index: number): Signed {
  const fields = Object.keys(signed.order);
  const field = fields[index % fields.length] ?? '';
  const value = Object.entries(signed.order).find(([name]) => name === field)?.[1];
  const forged = (() => {
    if (typeof value === 'bigint') return value + 1n;
    if (typeof value === 'number') return value - 1;
    return field.endsWith('Hash') || ['orderKey', 'salt'].includes(field)
      ? hashOf('forged')
      : w.stranger;
  })();
  return { ...signed, order: { ...signed.order, [field]: forged } } as Signed;
}

/** What the attacker does with the signed orders; returns the events that followed. */
async function perform(w: World, orders: readonly Signed[], one: Act) {
  const at = (index: number): Signed => {
    const found = orders[index];
    if (found === undefined) throw new Error(`There is no order ${index}.`);
    return found;
  };
  const token = { address: w.token.address, abi: signedTokenAbi, ...by(w.stranger) };
  switch (one.kind) {
    case 'send':
      return attempt(w, send(w, at(one.order)));
    case 'mix': {
      const { signature } = at(one.signature);
      const { payment } = at(one.payment);
      return attempt(w, send(w, { ...at(one.order), signature, payment }));
    }
    case 'forge':
      return attempt(w, send(w, forge(w, at(one.order), one.field)));
    case 'permit': {
      const { signer, payment } = at(one.order);
      const { r, s, v } = partsOf(payment.signature);
      const args = [signer, w.commerce.address, price, payment.validBefore, v, r, s] as const;
      return attempt(w, w.client.writeContract({ ...token, functionName: 'permit', args }));
    }
    case 'take': {
      const { type, order, signer, payment } = at(one.order);
      const { r, s, v } = partsOf(payment.signature);
      const { validAfter, validBefore } = payment;
      const nonce = digestOf(w, type, order);
      const call = { ...token, functionName: 'receiveWithAuthorization' } as const;
      const to = w.stranger;
      const args = [signer, to, price, validAfter, validBefore, nonce, v, r, s] as const;
      return attempt(w, w.client.writeContract({ ...call, args }));
    }
    case 'price': {
      const args = [1n, sku, one.amount] as const;
      return attempt(w, w.commerce.write.setVariantPrice(args, by(w.merchant)));
    }
  }
}

function partsOf(signature: Hex) {
  const whole = signature.padEnd(132, '0');
  const r: Hex = `0x${whole.slice(2, 66)}`;
  const s: Hex = `0x${whole.slice(66, 130)}`;
  return { r, s, v: Number.parseInt(whole.slice(130, 132), 16) };
}

/** The signed orders that an event may carry out: those that differ in nothing but their salt. */
function ordersBehind(orders: readonly Signed[], { name, args }: DecodedEvent): Signed[] {
  const fields = args as Record<string, unknown>;
  return orders.filter(({ type, order }) => {
    if (type === 'BuyOrder') {
      return (
        name === 'SaleRecorded' &&
        fields.buyer === order.buyer &&
        fields.campaignId === order.campaignId &&
        fields.nodeId === order.nodeId &&
        fields.skuHash === order.skuHash &&
        fields.orderKey === order.orderKey &&
        (fields.amount as bigint) <= order.maxAmount
      );
    }
    const account = name === 'NodeJoined' ? fields.owner : fields.account;
    const same = account === order.account && fields.campaignId === order.campaignId;
    if (type === 'FundOrder') {
      return name === 'CampaignFunded' && same && fields.amount === order.amount;
    }
    return name === 'NodeJoined' && same && fields.parentNodeId === order.parentNodeId;
  });
}

const countOf = { BuyOrder: 'sales', FundOrder: 'fundings', JoinOrder: 'joins' } as const;

/** Lets an attacker act, and checks after each act what every signer has lost, and got for it. */
async function attack(w: World, orders: readonly Signed[], sequence: readonly Act[]) {
  const snapshot = await w.client.snapshot();
  const counts = { sales: 0, fundings: 0, joins: 0, reverted: 0 };
  const paid = new Map<Address, bigint>(orders.map(({ signer }) => [signer, 0n]));
  const carriedOut = new Map<Signed, number>();
  for (const one of sequence) {
    const events = await perform(w, orders, one);
    if (events === undefined) counts.reverted += 1;
    for (const event of events ?? []) {
      if (event.name === 'VariantPriced') continue;
      const behind = ordersBehind(orders, event);
      const [first] = behind;
      if (first === undefined) throw new Error(`${event.name} happened without an order.`);
      const times = (carriedOut.get(first) ?? 0) + 1;
      carriedOut.set(first, times);
      expect(times).toBeLessThanOrEqual(behind.length);
      counts[countOf[first.type]] += 1;
      const { amount = 0n } = event.args as { amount?: bigint };
      paid.set(first.signer, (paid.get(first.signer) ?? 0n) + amount);
    }
    for (const [signer, amount] of paid) {
      expect(await w.token.read.balanceOf([signer])).toBe(fortune - amount);
    }
  }
  expect(await w.token.read.balanceOf([w.stranger])).toBe(0n);
  const held = await w.token.read.balanceOf([w.commerce.address]);
  expect(held).toBe(await w.commerce.read.obligationsOf([w.token.address]));
  await w.client.revert({ id: snapshot });
  return counts;
}

/** A campaign with two nodes, and a token that has permits and authorizations. */
async function attackedWorld(w: World): Promise<World> {
  const address = await deploy(w.client, signedTokenAbi as Abi, signedTokenBytecode);
  const token = tokenAt(w.client, address);
  for (const account of [w.merchant, w.buyer, w.attester]) {
    await sent(w, token.write.mint([account, fortune], by(w.merchant)));
  }
  await sent(w, token.write.approve([w.commerce.address, maxUint256], by(w.merchant)));
  // One buyer has approved the contract for everything, the other for nothing.
  await sent(w, token.write.approve([w.commerce.address, maxUint256], by(w.attester)));
  const moved = { ...w, token };
  await openCampaign(moved);
  await openCampaign(moved);
  await joinPath(moved, 1n, [w.nodes[0], w.nodes[1]]);
  return moved;
}

describe('an attacker who has signed orders', () => {
  it('takes from each signer at most what was signed, and gives what was signed for it', async () => {
    const w = await attackedWorld(world());
    const orders = await signedOrders(w);
    await fc.assert(
      fc.asyncProperty(acts, async (sequence) => {
        await attack(w, orders, sequence);
      }),
      { numRuns: 12 },
    );
  });

  it('meets sales, fundings, nodes and refusals in the cases of one seed', async () => {
    const w = await attackedWorld(world());
    const orders = await signedOrders(w);
    const sum = { sales: 0, fundings: 0, joins: 0, reverted: 0 };
    for (const sequence of fc.sample(acts, { seed: SEED, numRuns: 8 })) {
      const counts = await attack(w, orders, sequence);
      for (const name of ['sales', 'fundings', 'joins', 'reverted'] as const) {
        sum[name] += counts[name];
      }
    }
    for (const count of Object.values(sum)) expect(count).toBeGreaterThan(5);
  });
});
