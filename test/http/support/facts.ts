import { maxUint128 } from 'viem';
import type { Address, ChainEvent, EventArgs, Fact } from '../../../engine/core/events.ts';
import { account, eventId, hash } from '../../support/history.ts';

const UNLIMITED = (1n << 256n) - 1n;

/** Writes histories by hand: an event after the other, a block later where it is said. */
export class HistoryBuilder {
  readonly facts: Fact[] = [];
  #block = 100;
  #time = 1_700_000_000;
  #log = 0;

  /** Unix seconds of the block that the next event is in. */
  get time(): number {
    return this.#time;
  }

  get block(): number {
    return this.#block;
  }

  /** Begins a new block, so many seconds later. */
  nextBlock(seconds = 12): void {
    this.#block += 1;
    this.#time += seconds;
    this.#log = 0;
  }

  add(campaignId: string, event: ChainEvent): void {
    this.facts.push({
      campaignId,
      id: eventId(this.#time, this.#block, this.#log),
      blockNumber: this.#block,
      blockHash: hash(`block ${this.#block}`),
      timestamp: this.#time,
      transactionHash: hash(`transaction ${this.#block} ${this.#log}`),
      logIndex: this.#log,
      ...event,
    });
    this.#log += 1;
  }

  create(campaignId: string, changes: Partial<EventArgs<'CampaignCreated'>> = {}): void {
    this.add(campaignId, {
      name: 'CampaignCreated',
      args: {
        merchant: account(1_000),
        token: account(1),
        tokenDecimals: 6,
        tokenSymbol: 'TUSD',
        tokenName: 'Test Dollar',
        price: 1_000_000n,
        skuHash: hash(`sku ${campaignId}`),
        metadataHash: hash(`metadata ${campaignId}`),
        startsAt: 0,
        endsAt: 4_000_000_000,
        nodeCapacity: 1_000,
        saleCapacity: 1_000,
        trustMode: 'NATIVE_ONCHAIN',
        inviteOnly: false,
        nodesPerAccount: 25,
        salt: hash(`salt ${campaignId}`),
        termsHash: hash(`terms ${campaignId}`),
        ...changes,
      },
    });
  }

  /** 10 % in three levels of 50, 30 and 20 %, no caps, a hold of 600 s. */
  schedule(
    campaignId: string,
    changes: Partial<EventArgs<'PolicyScheduled'>['policy']> = {},
    version: { version?: number; effectiveAt?: number } = {},
  ): void {
    this.add(campaignId, {
      name: 'PolicyScheduled',
      args: {
        version: version.version ?? 1,
        effectiveAt: version.effectiveAt ?? this.#time,
        policy: {
          rewardToken: account(1),
          commissionBps: 1_000,
          perSaleCap: UNLIMITED,
          campaignLiabilityCap: UNLIMITED,
          maxRewardedAncestors: 3,
          weightsBps: [5_000, 3_000, 2_000],
          shortPathMode: 'RENORMALIZE_EXISTING',
          holdSeconds: 600,
          expiry: 4_000_000_000,
          excludesSelfReferral: false,
          regions: ['EU'],
          sharingRules: ['No spam'],
          ...changes,
        },
        eligibilityHash: hash('eligibility'),
        policyHash: hash(`policy ${campaignId} ${version.version ?? 1}`),
      },
    });
  }

  /** Allows an attester, or withdraws that with an expiry of 0; without limits as a default. */
  allowAttester(
    campaignId: string,
    attester: Address,
    limits: Partial<Omit<EventArgs<'AttesterAllowed'>, 'account'>> = {},
  ): void {
    const args = { perOrder: maxUint128, daily: maxUint128, expiry: 4_000_000_000, ...limits };
    this.add(campaignId, { name: 'AttesterAllowed', args: { account: attester, ...args } });
  }

  fund(campaignId: string, amount: bigint): void {
    this.add(campaignId, { name: 'CampaignFunded', args: { account: account(1_000), amount } });
  }

  join(campaignId: string, nodeId: string, parentNodeId = '0'): void {
    const args = { nodeId, parentNodeId, owner: account(10 + Number(nodeId)) };
    this.add(campaignId, { name: 'NodeJoined', args });
  }

  sell(
    campaignId: string,
    saleId: string,
    sale: Partial<EventArgs<'SaleRecorded'>> & Pick<EventArgs<'SaleRecorded'>, 'pool' | 'shares'>,
  ): void {
    this.add(campaignId, {
      name: 'SaleRecorded',
      args: {
        saleId,
        buyer: account(500),
        nodeId: '0',
        amount: 1_000_000n,
        policyVersion: 1,
        holdUntil: this.#time + 600,
        orderKey: hash(`order ${saleId}`),
        skuHash: hash(`sku ${campaignId}`),
        ...sale,
      },
    });
  }

  /** SaleFinalized, with the refunds that the history has. */
  finalize(campaignId: string, saleId: string): void {
    let refundedTotal = 0n;
    for (const { name, args } of this.facts) {
      if (name === 'SaleRefunded' && args.saleId === saleId) refundedTotal = args.refundedTotal;
    }
    this.add(campaignId, { name: 'SaleFinalized', args: { saleId, refundedTotal } });
  }

  /** RewardReleased, RewardVested or RewardReversed of the account that owns the node. */
  reward(
    campaignId: string,
    name: 'RewardReleased' | 'RewardVested' | 'RewardReversed',
    { saleId, level, nodeId, amount }: Omit<EventArgs<'RewardVested'>, 'recipient'>,
  ): void {
    const recipient = account(10 + Number(nodeId));
    this.add(campaignId, { name, args: { saleId, level, nodeId, recipient, amount } });
  }
}
