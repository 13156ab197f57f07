import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import type { Actor } from '../../../sample/actors.ts';
import { type Dice, nonEmpty } from '../dice.ts';
import type { Market } from './market.ts';

/** A campaign as an actor sees it. */
export interface SeenCampaign {
  readonly id: bigint;
  readonly merchant: Actor;
  readonly termsHash: Hex;
  readonly token: Address;
  readonly skuHash: `0x${string}`;
  /** Ordinal of the contract's TrustMode. */
  readonly trustMode: number;
  readonly nodeCapacity: bigint;
  readonly saleCapacity: bigint;
}

/** Ordinals of the contract's enums, in the order of the design. */
export const trustModes = { native: 0, merchantAttested: 1, thirdPartyVerified: 2 } as const;
export const saleStatuses = { pending: 0, refunded: 1, finalized: 2, reversed: 3 } as const;

/** ENDED and EXPIRED are the last: from `ended` on a campaign is over. */
export const campaignStates = { active: 1, paused: 2, ended: 3 } as const;

/**
 * Reads the chain as it is now. A history keeps nothing in mind, so a reorg cannot make it wrong.
 */
export class Sight {
  constructor(
    readonly market: Market,
    readonly dice: Dice,
  ) {}

  /** Unix seconds of the newest block. */
  async now(): Promise<bigint> {
    return (await this.market.chain.client.getBlock()).timestamp;
  }

  async campaignCount(): Promise<number> {
    return await this.#read('campaignCount');
  }

  async nodeCount(): Promise<number> {
    return await this.#read('nodeCount');
  }

  async campaign(id: bigint): Promise<SeenCampaign> {
    const { client, contract: address } = this.market.chain;
    const functionName = 'campaign';
    const found = await client.readContract({
      abi: referralCommerceAbi,
      address,
      functionName,
      args: [id],
    });
    return { id, ...found, merchant: this.actor(found.merchant) };
  }

  /** A campaign; `undefined` while there is none. */
  async anyCampaign(): Promise<SeenCampaign | undefined> {
    const count = await this.campaignCount();
    return count === 0 ? undefined : await this.campaign(BigInt(this.dice.between(1, count)));
  }

  /** As a rule a campaign in that state; any other where none is found. */
  async campaignIn(wanted: number): Promise<SeenCampaign | undefined> {
    let campaign = await this.anyCampaign();
    for (let tries = 0; tries < 8 && campaign !== undefined; tries += 1) {
      if ((await this.stateOf(campaign.id)) === wanted) return campaign;
      campaign = await this.anyCampaign();
    }
    return campaign;
  }

  async campaignOfMode(wanted: (mode: number) => boolean): Promise<SeenCampaign | undefined> {
    for (let tries = 0; tries < 8; tries += 1) {
      const campaign = await this.anyCampaign();
      if (campaign !== undefined && wanted(campaign.trustMode)) return campaign;
    }
    return undefined;
  }

  async campaignOfToken(token: Address): Promise<SeenCampaign | undefined> {
    for (let tries = 0; tries < 8; tries += 1) {
      const campaign = await this.anyCampaign();
      if (campaign !== undefined && isAddressEqual(campaign.token, token)) return campaign;
    }
    return undefined;
  }

  /** A node of the campaign with its owner as a rule, now and then none. */
  async anyNode(campaignId: bigint): Promise<{ nodeId: bigint; owner: Address }> {
    const count = await this.#read('nodeCount');
    const none = { nodeId: 0n, owner: zeroAddress };
    if (count === 0 || this.dice.chance(8)) return none;
    for (let tries = 0; tries < 12; tries += 1) {
      // Newer ones more often than not, so that paths grow deep.
      const low = this.dice.chance(60) ? Math.max(1, count - 20) : 1;
      const nodeId = BigInt(this.dice.between(low, count));
      const { client, contract: address } = this.market.chain;
      const node = await client.readContract({
        abi: referralCommerceAbi,
        address,
        functionName: 'node',
        args: [nodeId],
      });
      if (node.campaignId === campaignId) return { nodeId, owner: node.owner };
    }
    return none;
  }

  async sale(id: bigint) {
    const { client, contract: address } = this.market.chain;
    const functionName = 'sale';
    const args = [id] as const;
    return {
      id,
      ...(await client.readContract({ abi: referralCommerceAbi, address, functionName, args })),
    };
  }

  /** Arguments that name a sale in a call. */
  async saleRef({ id, termsHash }: SeenCampaign, saleId: bigint) {
    const [sale] = await this.market.chain.client.getContractEvents({
      abi: referralCommerceAbi,
      address: this.market.chain.contract,
      eventName: 'SaleRecorded',
      args: { saleId },
      fromBlock: BigInt(this.market.firstBlock),
      strict: true,
    });
    if (sale === undefined) throw new Error(`The chain has no sale ${saleId}.`);
    const { buyer, orderKey } = sale.args;
    return { campaignId: id, termsHash, buyer, orderKey };
  }

  /** A sale of that status where one is found; any other sale otherwise, if there is one. */
  async anySale(status: number) {
    const count = await this.#read('saleCount');
    if (count === 0) return undefined;
    let found = await this.sale(BigInt(this.dice.between(1, count)));
    for (let tries = 0; tries < 8 && found.status !== status; tries += 1) {
      found = await this.sale(BigInt(this.dice.between(1, count)));
    }
    return found;
  }

  async price(campaign: SeenCampaign): Promise<bigint> {
    const { client, contract: address } = this.market.chain;
    return await client.readContract({
      abi: referralCommerceAbi,
      address,
      functionName: 'variantPrice',
      args: [campaign.id, campaign.skuHash],
    });
  }

  async claimable(campaignId: bigint, account: Address): Promise<bigint> {
    const { client, contract: address } = this.market.chain;
    return await client.readContract({
      abi: referralCommerceAbi,
      address,
      functionName: 'claimableRewards',
      args: [campaignId, account],
    });
  }

  async credit(campaignId: bigint, account: Address): Promise<bigint> {
    const { client, contract: address } = this.market.chain;
    return await client.readContract({
      abi: referralCommerceAbi,
      address,
      functionName: 'creditOf',
      args: [campaignId, account],
    });
  }

  async ledger(id: bigint) {
    const { client, contract: address } = this.market.chain;
    const call = { abi: referralCommerceAbi, address, args: [id] } as const;
    return await client.readContract({ ...call, functionName: 'campaignLedger' });
  }

  /** Ordinal of the contract's CampaignState. */
  async stateOf(id: bigint): Promise<number> {
    const { client, contract: address } = this.market.chain;
    const call = { abi: referralCommerceAbi, address, args: [id] } as const;
    return await client.readContract({ ...call, functionName: 'campaignState' });
  }

  actor(address: Address): Actor {
    const found = this.market.everybody.find((one) => one.address === address);
    if (found === undefined) throw new Error(`${address} is no account of the market.`);
    return found;
  }

  anybody(): Actor {
    return this.dice.pick(this.market.everybody);
  }

  /** Somebody else than this one. */
  other(than: Actor): Actor {
    const others = nonEmpty(this.market.everybody.filter((one) => one !== than));
    return others === undefined ? than : this.dice.pick(others);
  }

  async #read(functionName: 'campaignCount' | 'nodeCount' | 'saleCount'): Promise<number> {
    const { client, contract: address } = this.market.chain;
    return await client.readContract({ abi: referralCommerceAbi, address, functionName });
  }
}
