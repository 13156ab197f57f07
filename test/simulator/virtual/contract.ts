import { emptyLedger, type Policy } from '../../../engine/core/campaign.ts';
import type { Address, ChainEvent, Hex } from '../../../engine/core/events.ts';
import { termsHash } from '../../../engine/core/terms.ts';
import { toStorableText } from '../../../src/encode.ts';
import { keccak } from '../../support/ledger.ts';
import type {
  AttesterLimits,
  CampaignRef,
  CampaignTerms,
  PolicyTerms,
  VirtualCampaign,
  VirtualNode,
  VirtualSale,
  VirtualToken,
} from './contract-state.ts';
import { hash32 } from './hash.ts';
import { UndoLog } from './undo.ts';

/** The contract refuses a call: nothing of it happened. */
class Revert extends Error {
  override readonly name = 'Revert';
}

/** An event of a campaign, before it has a position on the chain. */
export type Emitted = { readonly campaignId: string } & ChainEvent;

/** A node as calls name it: by its id and the owner that they expect; `null` for none. */
export type NodeRef = Pick<VirtualNode, 'id' | 'owner'> | null;

const MAX_UINT256 = (1n << 256n) - 1n;
/** Largest amount that the contract takes in, and largest sum of those that a campaign holds. */
export const MAX_AMOUNT = (1n << 128n) - 1n;
/** The latest time that the contract accepts, unix seconds. */
const MAX_TIME = 253_402_300_799;

/** Seconds between scheduling a policy and its effect, at least. */
export const NOTICE_SECONDS = 3_600;
const MAX_WAITING_POLICIES = 4;

/**
 * `ReferralCommerce` without a chain: the same checks, ledgers and events, in memory. Its accounts of
 * money are its own, so that the ledger that settlement folds can be compared with them.
 */
export class VirtualContract {
  readonly undo = new UndoLog();
  readonly campaigns: VirtualCampaign[] = [];
  readonly nodes: VirtualNode[] = [];
  readonly sales: VirtualSale[] = [];
  /** Unix seconds of the block that is being mined. */
  now = 0;
  blockNumber = 0;
  #emitted: Emitted[] = [];

  /** Runs a call. @returns its events; `undefined` if the contract refuses it. */
  call(run: (contract: VirtualContract) => void): readonly Emitted[] | undefined {
    const mark = this.undo.mark();
    this.#emitted = [];
    try {
      run(this);
      return this.#emitted;
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      this.undo.backTo(mark);
      return undefined;
    }
  }

  emit(campaign: VirtualCampaign, event: ChainEvent): void {
    this.#emitted.push({ campaignId: campaign.id, ...event });
  }

  /** @throws {Revert} if there is no such campaign. */
  campaign(id: string): VirtualCampaign {
    return this.campaigns[Number(id) - 1] ?? refuse('UnknownCampaign');
  }

  /** The campaign that a signed call means. @throws {Revert} if the id is another one's. */
  named({ id, termsHash: expected }: CampaignRef): VirtualCampaign {
    const campaign = this.campaign(id);
    return campaign.termsHash === expected ? campaign : refuse('WrongTerms');
  }

  /** Moves an amount of a campaign's ledger. @throws {Revert} outside of 256 bits. */
  move(
    campaign: VirtualCampaign,
    changes: Partial<Record<keyof VirtualCampaign['ledger'], bigint>>,
  ) {
    for (const [name, change] of Object.entries(changes)) {
      const field = name as keyof VirtualCampaign['ledger'];
      const next = campaign.ledger[field] + change;
      if (next < 0n || next > MAX_UINT256) refuse('Panic');
      this.undo.set(campaign.ledger, field, next);
    }
  }

  create(terms: CampaignTerms): void {
    const { merchant, token, name, policy } = terms;
    if (terms.endsAt <= terms.startsAt || terms.endsAt <= this.now) refuse('CampaignWindowEmpty');
    checkAmount(terms.price);
    const { hostile, trustMode, price, startsAt, endsAt, nodeCapacity, saleCapacity } = terms;
    const { inviteOnly, nodesPerAccount } = terms;
    const named = namesOf(terms);
    if (this.campaigns.some((one) => one.termsHash === named.termsHash)) refuse('TermsUsed');
    const campaign: VirtualCampaign = {
      ...{ id: String(this.campaigns.length + 1), merchant, hostile, token, trustMode, price },
      ...{ startsAt, endsAt, nodeCapacity, saleCapacity, inviteOnly, nodesPerAccount },
      skuHash: hash32(`sku ${name}`),
      termsHash: named.termsHash,
      createdBlock: this.blockNumber,
      ...{ policies: [], nodes: [], sales: [], ledger: { ...emptyLedger } },
      ...{ claimable: new Map(), claims: new Map(), allowed: new Map(), orders: new Map() },
      ...{ nodesOf: new Map(), credits: new Map(), attesters: new Map() },
      ...{ funded: false, paused: false, ended: false },
    };
    this.undo.push(this.campaigns, campaign);
    this.emit(campaign, {
      name: 'CampaignCreated',
      args: {
        merchant,
        token: token.address,
        tokenDecimals: token.decimals,
        tokenSymbol: toStorableText(token.symbol),
        tokenName: toStorableText(token.name),
        price,
        skuHash: campaign.skuHash,
        metadataHash: named.metadataHash,
        ...{ startsAt, endsAt, nodeCapacity, saleCapacity, trustMode, inviteOnly },
        ...{ nodesPerAccount, salt: named.salt, termsHash: named.termsHash },
      },
    });
    this.#addPolicy(campaign, policy, this.now);
  }

  schedulePolicy(id: string, by: Address, terms: PolicyTerms, effectiveAt: number): void {
    const campaign = this.#ofMerchant(id, by);
    if (effectiveAt < this.now + NOTICE_SECONDS) refuse('EffectiveTooSoon');
    const waiting = campaign.policies.filter((one) => one.effectiveAt > this.now).length;
    if (waiting >= MAX_WAITING_POLICIES) refuse('TooManyPoliciesWaiting');
    this.#addPolicy(campaign, terms, effectiveAt);
  }

  fund(ref: CampaignRef, by: Address, amount: bigint): void {
    const campaign = this.named(ref);
    if (!campaign.funded && by !== campaign.merchant) refuse('NotMerchant');
    this.undo.set(campaign, 'funded', true);
    const received = this.pull(campaign.token, amount);
    checkAmount(campaign.ledger.netDeposited + received);
    this.owe(campaign.token, received);
    this.move(campaign, { netDeposited: received, available: received });
    this.emit(campaign, { name: 'CampaignFunded', args: { account: by, amount: received } });
  }

  withdrawSurplus(id: string, by: Address, amount: bigint): void {
    const campaign = this.#ofMerchant(id, by);
    if (!campaign.ended && this.now < campaign.endsAt) refuse('WrongState');
    if (amount === 0n || amount > campaign.ledger.available) refuse('InsufficientSurplus');
    this.move(campaign, { available: -amount, surplusWithdrawn: amount });
    this.owe(campaign.token, -amount);
    this.emit(campaign, { name: 'SurplusWithdrawn', args: { account: by, amount } });
    if (!this.send(campaign.token, by, amount)) refuse('TransferFailed');
  }

  pause(id: string, by: Address): void {
    const campaign = this.#ofMerchant(id, by);
    if (!['CREATED_UNFUNDED', 'FUNDED_ACTIVE'].includes(this.stateOf(campaign))) {
      refuse('WrongState');
    }
    this.undo.set(campaign, 'paused', true);
    this.emit(campaign, { name: 'CampaignPaused', args: {} });
  }

  resume(id: string, by: Address): void {
    const campaign = this.#ofMerchant(id, by);
    if (!campaign.paused || campaign.ended) refuse('WrongState');
    this.undo.set(campaign, 'paused', false);
    this.emit(campaign, { name: 'CampaignResumed', args: {} });
  }

  end(id: string, by: Address): void {
    const campaign = this.#ofMerchant(id, by);
    if (campaign.ended) refuse('WrongState');
    this.undo.set(campaign, 'ended', true);
    this.emit(campaign, { name: 'CampaignEnded', args: {} });
  }

  setPrice(id: string, by: Address, skuHash: Hex, price: bigint): void {
    const campaign = this.#ofMerchant(id, by);
    checkAmount(price);
    if (skuHash === campaign.skuHash) this.undo.set(campaign, 'price', price);
    this.emit(campaign, { name: 'VariantPriced', args: { skuHash, price } });
  }

  allow(id: string, by: Address, account: Address, allowed: boolean): void {
    const campaign = this.#ofMerchant(id, by);
    this.undo.put(campaign.allowed, account, allowed);
    this.emit(campaign, { name: 'DistributorAllowed', args: { account, allowed } });
  }

  allowAttester(
    id: string,
    by: Address,
    account: Address,
    { perOrder, daily, expiry }: AttesterLimits,
  ): void {
    const campaign = this.#ofMerchant(id, by);
    if (expiry > 0) {
      if (perOrder === 0n || daily === 0n) refuse('ZeroAmount');
      if (expiry > MAX_TIME) refuse('TimeTooLate');
      if (expiry <= this.now) refuse('AttesterExpiresTooSoon');
      checkAmount(perOrder);
      checkAmount(daily);
    }
    const { day, attested } = campaign.attesters.get(account) ?? { day: 0, attested: 0n };
    const attester = { perOrder, daily, expiry, day, attested };
    this.undo.put(campaign.attesters, account, attester);
    this.emit(campaign, { name: 'AttesterAllowed', args: { account, perOrder, daily, expiry } });
  }

  raiseCapacity(id: string, by: Address, nodes: number, sales: number): void {
    const campaign = this.#ofMerchant(id, by);
    if (nodes < campaign.nodeCapacity || sales < campaign.saleCapacity) refuse('CapacityFalls');
    this.undo.set(campaign, 'nodeCapacity', nodes);
    this.undo.set(campaign, 'saleCapacity', sales);
    this.emit(campaign, {
      name: 'CapacityRaised',
      args: { nodeCapacity: nodes, saleCapacity: sales },
    });
  }

  join(ref: CampaignRef, by: Address, parent: NodeRef): void {
    const campaign = this.named(ref);
    if (!['CREATED_UNFUNDED', 'FUNDED_ACTIVE'].includes(this.stateOf(campaign))) {
      refuse('WrongState');
    }
    if (campaign.inviteOnly && campaign.allowed.get(by) !== true) refuse('DistributorNotAllowed');
    if (campaign.nodes.length >= campaign.nodeCapacity) refuse('NodeCapacityReached');
    const own = campaign.nodesOf.get(by) ?? 0;
    if (own >= campaign.nodesPerAccount) refuse('NodesPerAccountReached');
    const above = this.nodeOf(campaign, parent);
    const node = { id: this.nodes.length + 1, campaignId: campaign.id, parent: above, owner: by };
    this.undo.put(campaign.nodesOf, by, own + 1);
    this.undo.push(this.nodes, node);
    this.undo.push(campaign.nodes, node);
    this.emit(campaign, {
      name: 'NodeJoined',
      args: { nodeId: String(node.id), parentNodeId: String(above?.id ?? 0), owner: by },
    });
  }

  /** The node that a call names; `null` for none. @throws {Revert} if it is another one now. */
  nodeOf(campaign: VirtualCampaign, ref: NodeRef): VirtualNode | null {
    if (ref === null) return null;
    const node = this.nodes[ref.id - 1];
    if (node?.campaignId !== campaign.id) refuse('UnknownNode');
    return node.owner === ref.owner ? node : refuse('WrongNodeOwner');
  }

  stateOf(campaign: VirtualCampaign): string {
    if (campaign.ended) return 'ENDED';
    const expiry = this.policyOf(campaign)?.expiry ?? 0;
    if (this.now >= campaign.endsAt || this.now >= expiry) return 'EXPIRED';
    if (campaign.paused) return 'PAUSED';
    return campaign.funded ? 'FUNDED_ACTIVE' : 'CREATED_UNFUNDED';
  }

  /** The policy in effect now: the highest version whose time has come. */
  policyOf({ policies }: VirtualCampaign): Policy | undefined {
    return policies.findLast(({ effectiveAt }) => effectiveAt <= this.now);
  }

  /** Takes tokens from a caller. @returns base units that arrived. */
  pull(token: VirtualToken, amount: bigint): bigint {
    if (token.habit === 'reentrant') refuse('ReentrancyGuardReentrantCall');
    const received = token.habit === 'receiverFee' ? amount - (amount * 3n) / 100n : amount;
    if (received <= 0n) refuse('NothingReceived');
    checkAmount(received);
    this.undo.set(token, 'balance', token.balance + received);
    return received;
  }

  /**
   * Pays out. @returns whether the token did it.
   * @throws {Revert} if it takes more than the amount.
   */
  send(token: VirtualToken, to: Address, amount: bigint): boolean {
    if (token.habit === 'senderFee') refuse('InexactTransfer');
    if (token.blocked.has(to)) return false;
    this.undo.set(token, 'balance', token.balance - amount);
    return true;
  }

  /** Changes what the contract owes in a token. */
  owe(token: VirtualToken, change: bigint): void {
    this.undo.set(token, 'obligations', token.obligations + change);
  }

  /** Pays a refund or a reward; if the token refuses, the account can withdraw it later. */
  pay(campaign: VirtualCampaign, account: Address, amount: bigint): void {
    if (this.send(campaign.token, account, amount)) {
      this.owe(campaign.token, -amount);
      return;
    }
    this.undo.put(campaign.credits, account, (campaign.credits.get(account) ?? 0n) + amount);
    this.move(campaign, { creditOutstanding: amount });
    this.emit(campaign, { name: 'PaymentCredited', args: { account, amount } });
  }

  withdrawCredit(id: string, account: Address, to: Address): void {
    const campaign = this.campaign(id);
    const amount = campaign.credits.get(account) ?? 0n;
    if (amount === 0n) refuse('NothingCredited');
    this.undo.put(campaign.credits, account, 0n);
    this.move(campaign, { creditOutstanding: -amount });
    this.owe(campaign.token, -amount);
    this.emit(campaign, { name: 'CreditWithdrawn', args: { account, to, amount } });
    if (!this.send(campaign.token, to, amount)) refuse('TransferFailed');
  }

  #ofMerchant(id: string, by: Address): VirtualCampaign {
    const campaign = this.campaign(id);
    return campaign.merchant === by ? campaign : refuse('NotMerchant');
  }

  #addPolicy(campaign: VirtualCampaign, terms: PolicyTerms, effectiveAt: number): void {
    if (terms.expiry <= effectiveAt) refuse('PolicyExpiresTooSoon');
    for (const cap of [terms.perSaleCap, terms.campaignLiabilityCap]) {
      if (cap >= MAX_AMOUNT && cap !== MAX_UINT256) refuse('CapTooLarge');
    }
    const version = campaign.policies.length + 1;
    const eligibilityHash = hash32(JSON.stringify([terms.regions, terms.sharingRules]));
    const policyHash = hash32(`${eligibilityHash} ${campaign.id} ${version}`);
    // In the order of the ABI, for the digest goes by it.
    const policy = {
      rewardToken: campaign.token.address,
      commissionBps: terms.commissionBps,
      perSaleCap: terms.perSaleCap,
      campaignLiabilityCap: terms.campaignLiabilityCap,
      maxRewardedAncestors: terms.maxRewardedAncestors,
      weightsBps: terms.weightsBps,
      shortPathMode: terms.shortPathMode,
      holdSeconds: terms.holdSeconds,
      expiry: terms.expiry,
      excludesSelfReferral: terms.excludesSelfReferral,
      regions: terms.regions.map(toStorableText),
      sharingRules: terms.sharingRules.map(toStorableText),
    };
    this.undo.push(campaign.policies, {
      ...policy,
      ...{ version, effectiveAt, eligibilityHash, policyHash },
    });
    this.emit(campaign, {
      name: 'PolicyScheduled',
      args: { version, effectiveAt, policy, eligibilityHash, policyHash },
    });
  }
}

/** Names of a campaign of these terms, whatever id it gets. */
export function namesOf(terms: CampaignTerms) {
  const { merchant, trustMode, token, name } = terms;
  const [metadataHash, salt] = [hash32(`metadata ${name}`), hash32(`salt ${name}`)];
  const named = { merchant, trustMode, token: token.address, metadataHash, salt };
  return { metadataHash, salt, termsHash: termsHash(keccak, named) };
}

/** Refuses the call that runs if an amount is larger than the contract takes. */
export function checkAmount(amount: bigint): void {
  if (amount > MAX_AMOUNT) refuse('AmountTooLarge');
}

/** Refuses the call that runs, as a custom error of the contract does. */
export function refuse(error: string): never {
  throw new Revert(error);
}
