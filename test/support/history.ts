import { min } from '../../engine/core/amounts.ts';
import type { Campaign, Policy } from '../../engine/core/campaign.ts';
import type {
  Address,
  ChainEvent,
  EventArgs,
  Fact,
  Hex,
  TrustMode,
} from '../../engine/core/events.ts';
import { shareAfterRefund, splitReward } from '../../engine/core/split.ts';
import { termsHash } from '../../engine/core/terms.ts';
import { keccak } from './ledger.ts';

/**
 * Seeded histories as the contract would emit them, without a chain: a small model of the protocol
 * that only takes steps the contract allows. The fold must agree with every figure of it.
 */
export interface HistoryOptions {
  readonly seed: number;
  readonly steps: number;
  readonly campaigns: number;
}

interface ModelSale {
  readonly saleId: number;
  readonly buyer: Address;
  readonly amount: bigint;
  readonly shares: readonly bigint[];
  readonly held: bigint[];
  readonly recipients: readonly { nodeId: string; owner: Address }[];
  readonly holdUntil: number;
  refunded: bigint;
  finalizedAt: number | null;
  readonly vestedAt: (number | null)[];
}

/** Limits of an attester, and what it has attested by day. */
interface ModelAttester extends Omit<EventArgs<'AttesterAllowed'>, 'account'> {
  readonly attested: Map<number, bigint>;
}

interface ModelCampaign {
  readonly id: string;
  readonly trustMode: TrustMode;
  readonly native: boolean;
  readonly merchant: Address;
  readonly policies: Policy[];
  readonly nodes: { id: string; parent: string | null; owner: Address }[];
  readonly pending: ModelSale[];
  readonly finalized: ModelSale[];
  readonly claimable: Map<Address, bigint>;
  /** Refused payments that were not withdrawn yet. */
  readonly credits: Map<Address, bigint>;
  readonly lastClaim: Map<Address, number>;
  readonly attesters: Map<Address, ModelAttester>;
  available: bigint;
  liability: bigint;
  proceeds: bigint;
}

const CHAIN_ID = `${'0'.repeat(11)}31337`;

/** The facts of a random history, in the order of the chain. */
export function randomHistory(options: HistoryOptions): Fact[] {
  const model = new Model(options);
  for (let i = 0; i < options.campaigns; i += 1) model.create();
  for (let i = 0; i < options.steps; i += 1) model.step();
  return model.facts;
}

/** A small seeded generator (mulberry32), so that a failure replays from its seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class Model {
  readonly facts: Fact[] = [];
  readonly #random: () => number;
  readonly #campaigns: ModelCampaign[] = [];
  #time = 1_700_000_000;
  #block = 100;
  #log = 0;
  #nodes = 0;
  #sales = 0;
  #tick = 0;

  constructor({ seed }: HistoryOptions) {
    this.#random = seeded(seed);
  }

  create(): void {
    const id = String(this.#campaigns.length + 1);
    const trustMode: TrustMode =
      this.#below(3) > 0
        ? 'NATIVE_ONCHAIN'
        : this.#below(2) > 0
          ? 'MERCHANT_ATTESTED'
          : 'THIRD_PARTY_VERIFIED';
    const native = trustMode === 'NATIVE_ONCHAIN';
    const merchant = account(1_000 + this.#campaigns.length);
    const campaign: ModelCampaign = {
      id,
      trustMode,
      native,
      merchant,
      policies: [],
      nodes: [],
      pending: [],
      finalized: [],
      claimable: new Map(),
      credits: new Map(),
      lastClaim: new Map(),
      attesters: new Map(),
      available: 0n,
      liability: 0n,
      proceeds: 0n,
    };
    this.#campaigns.push(campaign);
    const terms: Omit<Campaign, 'campaignId' | 'termsHash'> = {
      merchant,
      token: account(1),
      tokenDecimals: 6,
      tokenSymbol: 'TUSD',
      tokenName: 'Test Dollar',
      skuHash: hash(`sku ${id}`),
      metadataHash: hash(`metadata ${id}`),
      startsAt: 0,
      endsAt: 4_000_000_000,
      trustMode,
      inviteOnly: false,
      nodesPerAccount: 1_000_000,
      salt: hash(`salt ${id}`),
    };
    const { nodesPerAccount, salt, ...created } = terms;
    this.#emit(campaign, {
      name: 'CampaignCreated',
      args: {
        ...created,
        price: 1_000_000n,
        nodeCapacity: 1_000_000,
        saleCapacity: 1_000_000,
        nodesPerAccount,
        salt,
        termsHash: termsHash(keccak, terms),
      },
    });
    this.#schedule(campaign, 0);
    this.#fund(campaign, 50_000_000n);
  }

  step(): void {
    if (this.#below(3) === 0) this.#nextBlock(1 + this.#below(40));
    const campaign = this.#pick(this.#campaigns);
    if (campaign === undefined) return;
    const dice = this.#below(100);
    if (dice < 20) this.#join(campaign);
    else if (dice < 60) this.#sell(campaign);
    else if (dice < 68) this.#refund(campaign);
    else if (dice < 82) this.#finalize(campaign);
    else if (dice < 90) this.#claim(campaign);
    else if (dice < 93) this.#reverse(campaign);
    else if (dice < 95) this.#fund(campaign, BigInt(1 + this.#below(5_000_000)));
    else if (dice < 96) this.#claimProceeds(campaign);
    else if (dice < 97) this.#withdrawCredit(campaign);
    else if (dice < 98 && campaign.policies.length < 6) this.#schedule(campaign, 3_600);
    else this.#nextBlock(3_600);
  }

  #schedule(campaign: ModelCampaign, delay: number): void {
    const levels = 1 + this.#below(5);
    const weights = Array.from({ length: levels }, () => Math.floor(10_000 / levels));
    weights[0] = (weights[0] ?? 0) + 10_000 - weights.reduce((a, b) => a + b, 0);
    const policy: Policy = {
      version: campaign.policies.length + 1,
      effectiveAt: this.#time + delay,
      rewardToken: account(1),
      commissionBps: 1 + this.#below(4_000),
      perSaleCap: this.#below(3) === 0 ? BigInt(this.#below(150_000) + 1) : (1n << 256n) - 1n,
      campaignLiabilityCap:
        this.#below(3) === 0 ? BigInt(this.#below(90_000_000) + 1) : (1n << 256n) - 1n,
      maxRewardedAncestors: levels,
      weightsBps: weights,
      shortPathMode: this.#below(2) === 0 ? 'RENORMALIZE_EXISTING' : 'RETURN_UNUSED',
      holdSeconds: 60 + this.#below(600),
      expiry: 4_000_000_000,
      excludesSelfReferral: this.#below(3) === 0,
      regions: ['EU'],
      sharingRules: [],
      eligibilityHash: hash('eligibility'),
      policyHash: hash(`policy ${campaign.id} ${campaign.policies.length}`),
    };
    campaign.policies.push(policy);
    const { version, effectiveAt, eligibilityHash, policyHash, ...terms } = policy;
    this.#emit(campaign, {
      name: 'PolicyScheduled',
      args: { version, effectiveAt, policy: terms, eligibilityHash, policyHash },
    });
  }

  #fund(campaign: ModelCampaign, amount: bigint): void {
    campaign.available += amount;
    this.#emit(campaign, { name: 'CampaignFunded', args: { account: campaign.merchant, amount } });
  }

  #join(campaign: ModelCampaign): void {
    this.#nodes += 1;
    const parent = this.#below(4) === 0 ? undefined : this.#pick(campaign.nodes);
    const node = {
      id: String(this.#nodes),
      parent: parent?.id ?? null,
      owner: account(10 + this.#below(25)),
    };
    campaign.nodes.push(node);
    this.#emit(campaign, {
      name: 'NodeJoined',
      args: { nodeId: node.id, parentNodeId: node.parent ?? '0', owner: node.owner },
    });
  }

  #sell(campaign: ModelCampaign): void {
    const policy = campaign.policies.filter(({ effectiveAt }) => effectiveAt <= this.#time).at(-1);
    if (policy === undefined) return;
    const node = this.#below(8) === 0 ? undefined : this.#pick(campaign.nodes);
    const path: { nodeId: string; owner: Address }[] = [];
    for (let at = node; at !== undefined; ) {
      path.push({ nodeId: at.id, owner: at.owner });
      const { parent } = at;
      at = campaign.nodes.find(({ id }) => id === parent);
    }
    const wanted = BigInt(1 + this.#below(3_000_000));
    const { signer, amount } =
      campaign.trustMode === 'THIRD_PARTY_VERIFIED'
        ? this.#withinLimits(campaign, wanted)
        : { signer: campaign.merchant, amount: wanted };
    if (amount === 0n) return;
    const split = splitReward({
      amount,
      liability: campaign.liability,
      available: campaign.available,
      path: path.map(({ nodeId }) => nodeId),
      policy,
    });
    const buyer =
      this.#below(10) === 0 ? account(10 + this.#below(25)) : account(500 + (this.#sales % 40));
    const recipients = path.slice(0, split.shares.length);
    if (policy.excludesSelfReferral && recipients.some(({ owner }) => owner === buyer)) return;
    this.#sales += 1;
    const shares = split.shares.map((share) => share.amount);
    const sale: ModelSale = {
      saleId: this.#sales,
      buyer,
      amount,
      shares,
      held: [...shares],
      recipients,
      holdUntil: this.#time + policy.holdSeconds,
      refunded: 0n,
      finalizedAt: null,
      vestedAt: shares.map(() => null),
    };
    const attester = campaign.attesters.get(signer);
    attester?.attested.set(this.#day, (attester.attested.get(this.#day) ?? 0n) + amount);
    if (!campaign.native) {
      this.#emit(campaign, {
        name: 'SaleAttested',
        args: {
          saleId: String(sale.saleId),
          signer,
          nonce: String(this.#sales),
        },
      });
    }
    campaign.available -= split.reserved;
    campaign.liability += split.reserved;
    campaign.pending.push(sale);
    this.#emit(campaign, {
      name: 'SaleRecorded',
      args: {
        saleId: String(sale.saleId),
        buyer: sale.buyer,
        nodeId: node?.id ?? '0',
        amount,
        pool: split.pool,
        shares,
        policyVersion: policy.version,
        holdUntil: sale.holdUntil,
        orderKey: hash(`order ${this.#sales}`),
        skuHash: hash(`sku ${campaign.id}`),
      },
    });
  }

  /** An attester, and the part of an amount that it may attest now; it is allowed again now and then. */
  #withinLimits(campaign: ModelCampaign, wanted: bigint): { signer: Address; amount: bigint } {
    const signer = account(900 + this.#below(3));
    const known = campaign.attesters.get(signer);
    if (known === undefined || known.expiry <= this.#time || this.#below(12) === 0) {
      const isWithdrawn = known !== undefined && this.#below(4) === 0;
      const limits = isWithdrawn
        ? { perOrder: 0n, daily: 0n, expiry: 0 }
        : {
            perOrder: BigInt(1 + this.#below(3_000_000)),
            daily: BigInt(1 + this.#below(9_000_000)),
            expiry: this.#time + 1 + this.#below(200_000),
          };
      campaign.attesters.set(signer, { ...limits, attested: known?.attested ?? new Map() });
      this.#emit(campaign, { name: 'AttesterAllowed', args: { account: signer, ...limits } });
    }
    const attester = campaign.attesters.get(signer);
    if (attester === undefined) return { signer, amount: 0n };
    const left = attester.daily - (attester.attested.get(this.#day) ?? 0n);
    const most = min(attester.perOrder, left);
    return { signer, amount: most < 0n ? 0n : min(wanted, most) };
  }

  /** The day (UTC) of the present block, unix days. */
  get #day(): number {
    return Math.floor(this.#time / 86_400);
  }

  #refund(campaign: ModelCampaign): void {
    const sale = this.#pick(campaign.pending);
    if (sale === undefined) return;
    const left = sale.amount - sale.refunded;
    const part = this.#below(2) === 0 ? left : BigInt(this.#below(Number(left)) + 1);
    sale.refunded += part;
    sale.held.forEach((held, i) => {
      const keeps = shareAfterRefund(sale.shares[i] ?? 0n, sale.amount, sale.refunded);
      sale.held[i] = keeps;
      campaign.available += held - keeps;
      campaign.liability -= held - keeps;
      if (held > keeps) this.#emitLevel(campaign, 'RewardReleased', sale, i, held - keeps);
    });
    if (sale.refunded === sale.amount) remove(campaign.pending, sale);
    this.#emit(campaign, {
      name: 'SaleRefunded',
      args: {
        saleId: String(sale.saleId),
        buyer: sale.buyer,
        amount: part,
        refundedTotal: sale.refunded,
        reasonHash: hash('reason'),
      },
    });
    if (campaign.native) this.#maybeRefused(campaign, sale.buyer, part);
  }

  #finalize(campaign: ModelCampaign): void {
    const sale = this.#pick(campaign.pending.filter(({ holdUntil }) => holdUntil <= this.#time));
    if (sale === undefined) return;
    sale.held.forEach((held, i) => {
      if (held === 0n) return;
      const owner = sale.recipients[i]?.owner ?? account(0);
      campaign.claimable.set(owner, (campaign.claimable.get(owner) ?? 0n) + held);
      sale.vestedAt[i] = this.#tick;
      this.#emitLevel(campaign, 'RewardVested', sale, i, held);
    });
    sale.finalizedAt = this.#time;
    campaign.proceeds += campaign.native ? sale.amount - sale.refunded : 0n;
    remove(campaign.pending, sale);
    campaign.finalized.push(sale);
    this.#emit(campaign, {
      name: 'SaleFinalized',
      args: { saleId: String(sale.saleId), refundedTotal: sale.refunded },
    });
  }

  #claim(campaign: ModelCampaign): void {
    const owner = this.#pick([...campaign.claimable.keys()]);
    const amount = owner === undefined ? 0n : (campaign.claimable.get(owner) ?? 0n);
    if (owner === undefined || amount === 0n) return;
    campaign.claimable.delete(owner);
    campaign.lastClaim.set(owner, this.#tick);
    this.#emit(campaign, { name: 'RewardsClaimed', args: { account: owner, amount } });
    this.#maybeRefused(campaign, owner, amount);
  }

  /** One payment in four is refused by the token, as if the account were on its blocklist. */
  #maybeRefused(campaign: ModelCampaign, account: Address, amount: bigint): void {
    if (this.#below(4) > 0) return;
    campaign.credits.set(account, (campaign.credits.get(account) ?? 0n) + amount);
    this.#emit(campaign, { name: 'PaymentCredited', args: { account, amount } });
  }

  #withdrawCredit(campaign: ModelCampaign): void {
    const [owner, amount] = this.#pick([...campaign.credits]) ?? [];
    if (owner === undefined || amount === undefined) return;
    campaign.credits.delete(owner);
    const args = { account: owner, to: account(700), amount };
    this.#emit(campaign, { name: 'CreditWithdrawn', args });
  }

  #claimProceeds(campaign: ModelCampaign): void {
    const amount = campaign.proceeds;
    if (amount === 0n) return;
    campaign.proceeds = 0n;
    this.#emit(campaign, { name: 'ProceedsClaimed', args: { account: campaign.merchant, amount } });
  }

  #reverse(campaign: ModelCampaign): void {
    const sale = this.#pick(campaign.finalized);
    if (sale === undefined || campaign.native) return;
    sale.held.forEach((held, i) => {
      const owner = sale.recipients[i]?.owner ?? account(0);
      const vestedAt = sale.vestedAt[i] ?? null;
      if (held === 0n || vestedAt === null) return;
      if ((campaign.lastClaim.get(owner) ?? -1) > vestedAt) return;
      campaign.claimable.set(owner, (campaign.claimable.get(owner) ?? 0n) - held);
      campaign.available += held;
      campaign.liability -= held;
      this.#emitLevel(campaign, 'RewardReversed', sale, i, held);
    });
    remove(campaign.finalized, sale);
    this.#emit(campaign, {
      name: 'SaleReversed',
      args: { saleId: String(sale.saleId), reasonHash: hash('reversal') },
    });
  }

  #emitLevel(
    campaign: ModelCampaign,
    name: 'RewardReleased' | 'RewardVested' | 'RewardReversed',
    sale: ModelSale,
    index: number,
    amount: bigint,
  ): void {
    const { nodeId, owner } = sale.recipients[index] ?? { nodeId: '0', owner: account(0) };
    const args: EventArgs<'RewardVested'> = {
      saleId: String(sale.saleId),
      level: index + 1,
      nodeId,
      recipient: owner,
      amount,
    };
    this.#emit(campaign, { name, args });
  }

  #emit(campaign: ModelCampaign, event: ChainEvent): void {
    this.#tick += 1;
    this.facts.push({
      campaignId: campaign.id,
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

  #nextBlock(seconds: number): void {
    this.#time += seconds;
    this.#block += 1;
    this.#log = 0;
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[this.#below(list.length)];
  }
}

/** A made-up account: its number in 20 bytes. */
export function account(n: number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`;
}

/** 32 bytes that a text decides: FNV-1a in four lanes, enough for tests and no hash of trust. */
export function hash(text: string): Hex {
  let hex = '';
  for (let lane = 0; lane < 8; lane += 1) {
    let h = 0x811c9dc5 ^ lane;
    for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    hex += (h >>> 0).toString(16).padStart(8, '0');
  }
  return `0x${hex}`;
}

export function eventId(timestamp: number, block: number, log: number): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  return `${pad(timestamp, 10)}${CHAIN_ID}${pad(block, 16)}${pad(0, 16)}5${pad(log, 16)}`;
}

function remove<T>(list: T[], item: T): void {
  list.splice(list.indexOf(item), 1);
}
