import type { Address } from 'viem';
import { maxUint256 } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import {
  advance,
  buy,
  createCampaign,
  fund,
  giveTokens,
  join,
  ownerOf,
  refund,
  send,
  termsOf,
} from './actions.ts';
import { accountAt, deployToken, type TestChain } from './chain.ts';
import { seeded } from './history.ts';
import type { Place } from './reorg.ts';

/** Seeded, valid traffic on a real chain: joins, sales, refunds, finalizations and claims. */
export class Traffic {
  readonly #random: () => number;
  readonly #campaigns: { id: bigint; merchant: Address; nodes: bigint[] }[] = [];
  readonly #open: { saleId: bigint; campaign: number; amount: bigint; holdUntil: bigint }[] = [];

  private constructor(
    readonly chain: TestChain,
    seed: number,
    readonly token: Address,
  ) {
    this.#random = seeded(seed);
  }

  static async start(chain: TestChain, seed: number, campaigns = 3): Promise<Traffic> {
    const traffic = new Traffic(chain, seed, await deployToken(chain));
    for (const account of chain.accounts) {
      await giveTokens(chain, traffic.token, account, maxUint256 / 1_000_000n);
    }
    for (let i = 0; i < campaigns; i += 1) {
      const merchant = accountAt(chain.accounts, i);
      const id = await createCampaign(chain, merchant, traffic.token, {
        policy: { shortPathMode: i % 2, perSaleCap: i === 1 ? 40_000n : maxUint256 },
      });
      await fund(chain, { id, token: traffic.token }, merchant, 100_000_000n);
      traffic.#campaigns.push({ id, merchant, nodes: [] });
    }
    return traffic;
  }

  get campaignIds(): readonly bigint[] {
    return this.#campaigns.map(({ id }) => id);
  }

  /** A campaign with a node in it, to sell through. */
  async somewhere(): Promise<Place> {
    const campaign = this.#pick(this.#campaigns);
    if (campaign === undefined) throw new Error('The traffic has no campaigns.');
    if (campaign.nodes.length === 0) {
      campaign.nodes.push(await join(this.chain, campaign.id, this.#account()));
    }
    const nodeId = this.#pick(campaign.nodes) ?? 0n;
    return {
      campaignId: campaign.id,
      termsHash: await termsOf(this.chain, campaign.id),
      nodeId,
      nodeOwner: await ownerOf(this.chain, nodeId),
    };
  }

  /** Forgets what a reorg may have taken: nodes and sales that are not on the chain any more. */
  async afterReorg(): Promise<void> {
    const { client, contract } = this.chain;
    const read = {
      address: contract,
      abi: referralCommerceAbi,
      fromBlock: 0n,
      strict: true,
    } as const;
    const [joins, sales] = await Promise.all([
      client.getContractEvents({ ...read, eventName: 'NodeJoined' }),
      client.getContractEvents({ ...read, eventName: 'SaleRecorded' }),
    ]);
    for (const campaign of this.#campaigns) {
      const own = joins.filter(({ args }) => args.campaignId === campaign.id);
      campaign.nodes.splice(0, campaign.nodes.length, ...own.map(({ args }) => args.nodeId));
    }
    const onChain = new Set(
      sales.map(({ args }) => `${args.saleId} ${args.amount} ${args.holdUntil}`),
    );
    const remaining = this.#open.filter((sale) =>
      onChain.has(`${sale.saleId} ${sale.amount} ${sale.holdUntil}`),
    );
    this.#open.splice(0, this.#open.length, ...remaining);
  }

  /** Takes steps, each a transaction in a block of its own. */
  async play(steps: number): Promise<void> {
    for (let i = 0; i < steps; i += 1) await this.step();
  }

  async step(): Promise<void> {
    const index = this.#below(this.#campaigns.length);
    const campaign = this.#campaigns[index];
    if (campaign === undefined) return;
    const dice = this.#below(100);
    if (dice < 25 || campaign.nodes.length === 0) {
      const parent = this.#pick(campaign.nodes) ?? 0n;
      campaign.nodes.push(await join(this.chain, campaign.id, this.#account(), parent));
    } else if (dice < 70) {
      const nodeId = this.#below(8) === 0 ? 0n : (this.#pick(campaign.nodes) ?? 0n);
      const sale = await buy(this.chain, campaign.id, this.#account(), { nodeId });
      const { saleId, amount, holdUntil } = sale;
      this.#open.push({ saleId, campaign: index, amount, holdUntil });
    } else if (dice < 78) await this.#refund();
    else if (dice < 90) await this.#finalize();
    else if (dice < 95) await this.#claim(campaign.id);
    else await advance(this.chain, 30);
  }

  async #refund(): Promise<void> {
    const sale = this.#pick(this.#open);
    const merchant = sale === undefined ? undefined : this.#campaigns[sale.campaign]?.merchant;
    if (sale === undefined || merchant === undefined) return;
    const whole = this.#below(2) === 0;
    if (whole) this.#open.splice(this.#open.indexOf(sale), 1);
    const part = whole ? sale.amount : sale.amount / 3n + 1n;
    await refund(this.chain, merchant, sale.saleId, part);
    sale.amount -= part;
  }

  async #finalize(): Promise<void> {
    const { timestamp } = await this.chain.client.getBlock();
    const due = this.#open.filter(({ holdUntil }) => holdUntil <= timestamp).slice(0, 5);
    if (due.length === 0) return;
    for (const sale of due) this.#open.splice(this.#open.indexOf(sale), 1);
    await send(this.chain, this.#account(), 'finalize', [due.map(({ saleId }) => saleId)]);
  }

  async #claim(campaignId: bigint): Promise<void> {
    // An account with nothing to claim reverts, and that is no event: the next step is another.
    await send(this.chain, this.#account(), 'claimRewards', [[campaignId]]).catch(() => undefined);
  }

  #account(): Address {
    return accountAt(this.chain.accounts, this.#below(this.chain.accounts.length));
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#below(list.length)];
  }
}
