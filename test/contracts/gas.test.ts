import { readFile } from 'node:fs/promises';
import type { Address, Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { buyArgs, fundArgs, joinArgs, refundArgs, reverseArgs } from './calls.ts';
import { buyOrderFor, byAllowance, signOrder } from './orders.ts';
import { measurePeers, type Row } from './peers.ts';
import { attestationFor, funding, inputFor, policyFor, price, signSale } from './scenes.ts';
import {
  by,
  deploy,
  fortune,
  hashOf,
  maxUint256,
  nextAt,
  sent,
  tokenAt,
  trustModes,
  useWorld,
  type World,
} from './support.ts';

const world = useWorld();

/**
 * Measures every call that a campaign's life needs. Campaign 1 is native and campaign 2 attested;
 * both have a path of five nodes, numbered 1 to 5 and 6 to 10. A first sale of each buyer made every
 * counter non-zero before, as on a chain in use.
 */
class Measurement {
  readonly rows: Row[] = [];

  constructor(
    readonly w: World,
    readonly token: Address,
  ) {}

  async measure(call: string, write: Promise<Hex>): Promise<void> {
    this.rows.push([call, (await sent(this.w, write)).gasUsed]);
  }

  async create(salt: string, trustMode: number): Promise<Hex> {
    const { w, token } = this;
    const input = inputFor(w, { token, trustMode, salt: hashOf(salt) });
    const policy = policyFor(w, { rewardToken: token, regions: [], sharingRules: [] });
    return w.commerce.write.createCampaign([input, policy], by(w.merchant));
  }

  async buy(nodeId: bigint, order: string): Promise<Hex> {
    const args = await buyArgs(this.w, { nodeId, orderKey: hashOf(order) });
    return this.w.commerce.write.buy(args, by(this.w.buyer));
  }

  async order(nodeId: bigint, key: string): Promise<Hex> {
    const { w } = this;
    const order = await buyOrderFor(w, { nodeId, orderKey: hashOf(key) });
    const signature = await signOrder(w, 'BuyOrder', order, w.buyer);
    return w.commerce.write.buyFor([order, signature, byAllowance], by(w.stranger));
  }

  async attest(nodeId: bigint, nonce: bigint): Promise<Hex> {
    const { w } = this;
    const orderKey = hashOf(`attested ${nonce}`);
    const attestation = await attestationFor(w, 2n, { nodeId, nonce, orderKey });
    const args = [attestation, await signSale(w, w.merchant, attestation)] as const;
    return w.commerce.write.recordAttestedSale(args, by(w.stranger));
  }

  async finalize(saleId: bigint): Promise<Hex> {
    const { holdUntil } = await this.w.commerce.read.sale([saleId]);
    const { timestamp } = await this.w.client.getBlock();
    if (holdUntil > timestamp) await nextAt(this.w, holdUntil);
    return this.w.commerce.write.finalize([[saleId]], by(this.w.stranger));
  }

  setBlocked(account: Address, blocked: boolean): Promise<unknown> {
    const request = { abi: blocklistTokenAbi, address: this.token, functionName: 'setBlocked' };
    const args = [account, blocked] as const;
    return sent(
      this.w,
      this.w.client.writeContract({ ...request, args, ...by(this.w.stranger) } as never),
    );
  }
}

async function open(w: World): Promise<Measurement> {
  const token = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
  for (const account of [w.merchant, w.buyer]) {
    const { write } = tokenAt(w.client, token);
    await sent(w, write.mint([account, fortune], by(account)));
    await sent(w, write.approve([w.commerce.address, maxUint256], by(account)));
  }
  const m = new Measurement(w, token);
  const { write } = w.commerce;
  const root = async (campaignId: bigint, account: Address) =>
    write.join(await joinArgs(w, campaignId, 0n), by(account));
  const under = async (campaignId: bigint, parent: bigint, account: Address) =>
    write.join(await joinArgs(w, campaignId, parent), by(account));
  await sent(w, m.create('native', trustModes.native));
  await m.measure('`createCampaign`', m.create('attested', trustModes.merchantAttested));
  const deposit = async (campaignId: bigint) =>
    write.fund(await fundArgs(w, campaignId, funding), by(w.merchant));
  await sent(w, deposit(1n));
  await m.measure('`fund`, first', deposit(2n));
  await m.measure('`fund`, later', deposit(2n));
  const [a, b, c, d, e] = w.nodes;
  await sent(w, root(1n, a));
  for (const [index, account] of [b, c, d, e].entries()) {
    await sent(w, under(1n, BigInt(index + 1), account));
  }
  await m.measure('`join`, as a root', root(2n, a));
  await m.measure('`join`, under a node', under(2n, 6n, b));
  await m.measure('`join`, a second node of the account', under(2n, 7n, b));
  await sent(w, under(2n, 8n, d));
  await sent(w, under(2n, 9n, e));
  await sent(w, m.buy(1n, 'first'));
  await sent(w, m.attest(6n, 1n));
  return m;
}

async function measureAll(w: World): Promise<Row[]> {
  const m = await open(w);
  const { write } = w.commerce;
  const transfer = w.token.write.transfer([w.merchant, 1n], by(w.buyer));
  await m.measure('`transfer` of a plain ERC-20 token', transfer);
  await m.measure('`buy`, direct', m.buy(0n, 'depth 0'));
  await m.measure('`buy`, 1 level', m.buy(1n, 'depth 1'));
  await m.measure('`buy`, 5 levels', m.buy(5n, 'depth 5'));
  await m.measure('`recordAttestedSale`, 1 level', m.attest(6n, 2n));
  await m.measure('`recordAttestedSale`, 5 levels', m.attest(10n, 3n));
  await sent(w, m.buy(5n, 'refunded'));
  await sent(w, m.buy(5n, 'credited'));
  const refund = async (saleId: bigint, amount: bigint) =>
    write.refund(await refundArgs(w, saleId, amount), by(w.merchant));
  await m.measure('`refund`, in part, 5 levels', refund(8n, price / 4n));
  await m.measure('`refund`, the rest, 5 levels', refund(8n, price - price / 4n));
  await m.measure('`buyFor`, 5 levels, by an allowance', m.order(5n, 'signed'));
  await m.setBlocked(w.buyer, true);
  await m.measure('`refund`, refused and credited, 5 levels', refund(9n, price));
  await m.measure('`withdrawCredit`', write.withdrawCredit([1n, w.stranger], by(w.buyer)));
  await m.measure('`finalize`, 1 level', m.finalize(1n));
  await m.measure('`finalize`, 5 levels', m.finalize(5n));
  await m.measure('`finalize`, attested, 5 levels', m.finalize(7n));
  await m.measure('`finalize`, one entry skipped', m.finalize(7n));
  const reversal = await reverseArgs(w, 7n);
  await m.measure('`reverse`, 5 levels', write.reverse(reversal, by(w.merchant)));
  const claim = (account: Address) => write.claimRewards([[1n]], by(account));
  await m.measure('`claimRewards`, one campaign', claim(w.nodes[0]));
  await m.setBlocked(w.nodes[1], true);
  await m.measure('`claimRewards`, refused and credited', claim(w.nodes[1]));
  await m.measure('`claimProceeds`', write.claimProceeds([1n], by(w.merchant)));
  await sent(w, write.end([1n], by(w.merchant)));
  await m.measure('`withdrawSurplus`', write.withdrawSurplus([1n, 1_000n], by(w.merchant)));
  return m.rows;
}

describe('the table of gas in docs/reference/protocol.md', () => {
  it('reports the gas of every call, to the unit', async () => {
    const peers = await measurePeers(world());
    const rows = [...(await measureAll(world())), ...peers];
    const cells = rows.map(([call, gas]) => `| ${call} | ${gas.toLocaleString('en')} |`);
    const page = await readFile(
      new URL('../../docs/reference/protocol.md', import.meta.url),
      'utf8',
    );
    const table = page.match(/^\| call \| gas \| in v2 \|\n.*\n((\|.*\|\n)+)/m)?.[1] ?? '';
    // The last column has the values of contract v2, which nothing can measure any more.
    const current = table
      .trim()
      .split('\n')
      .map((row) => row.replace(/ [^|]*\|$/, ''));
    expect(current).toEqual(cells);
  });
});
