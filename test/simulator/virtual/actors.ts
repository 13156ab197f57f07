import type { Address } from '../../../engine/core/events.ts';
import { type Dice, type NonEmpty, nonEmpty } from '../dice.ts';
import type { Call, VirtualChain } from './chain.ts';
import { MAX_AMOUNT, type NodeRef, namesOf, type VirtualContract } from './contract.ts';
import * as sales from './contract-sales.ts';
import {
  type AttesterLimits,
  NO_ATTESTER,
  type PolicyTerms,
  type VirtualCampaign,
  type VirtualSale,
  type VirtualToken,
} from './contract-state.ts';
import { accountOf, hash32 } from './hash.ts';

const MAX_UINT256 = (1n << 256n) - 1n;
const YEAR = 31_536_000;

/** Weights that are easy, awkward, and as small as they can be. */
const WEIGHTS: NonEmpty<readonly number[]> = [
  [10_000],
  [5_000, 3_000, 2_000],
  [3_333, 3_333, 3_334],
  [9_996, 1, 1, 1, 1],
  [1, 9_999],
  [4_000, 2_500, 1_500, 1_200, 800],
];

function accounts(name: string, count: number): NonEmpty<Address> {
  const rest = Array.from({ length: count - 1 }, (_, i) => accountOf(`${name} ${i + 1}`));
  return [accountOf(`${name} 0`), ...rest];
}

/** Tools of every actor of a simulated chain: its dice, and unique names. */
export class Stage {
  readonly merchants = accounts('merchant', 6);
  readonly people = accounts('person', 40);
  readonly attesters = accounts('attester', 3);
  #calls = 0;

  constructor(
    readonly chain: VirtualChain,
    readonly dice: Dice,
  ) {}

  get contract(): VirtualContract {
    return this.chain.contract;
  }

  /** The time of the newest block, unix seconds. */
  get now(): number {
    return this.chain.head.timestamp;
  }

  /** A number that no other call of this seed has. */
  unique(): number {
    this.#calls += 1;
    return this.#calls;
  }

  call(name: string, hostile: boolean, run: Call['run']): Call {
    const transactionHash = hash32(`${this.chain.seed} call ${this.unique()}`);
    return { name, hostile, transactionHash, run };
  }

  person(): Address {
    return this.dice.pick(this.people);
  }

  /** A campaign of honest or of hostile merchants: as a rule one that takes sales. */
  campaign(hostile: boolean): VirtualCampaign | undefined {
    const { contract, dice } = this;
    const { campaigns } = contract;
    const mustSell = dice.chance(80);
    let found: VirtualCampaign | undefined;
    for (let tries = 0; tries < 16; tries += 1) {
      const one = campaigns[dice.below(campaigns.length)];
      if (one?.hostile !== hostile) continue;
      found = one;
      if (!mustSell || contract.stateOf(one) === 'FUNDED_ACTIVE') return one;
    }
    return found;
  }

  /** Honest campaigns, and those of them that take sales. */
  honestCampaigns(): { readonly all: number; readonly active: number } {
    const { contract } = this;
    const honest = contract.campaigns.filter(({ hostile }) => !hostile);
    const active = honest.filter((one) => contract.stateOf(one) === 'FUNDED_ACTIVE').length;
    return { all: honest.length, active };
  }

  /** A node of the campaign, newer ones more often; now and then none. */
  node({ nodes }: VirtualCampaign): NodeRef {
    if (nodes.length === 0 || this.dice.chance(8)) return null;
    const low = this.dice.chance(60) ? Math.max(0, nodes.length - 20) : 0;
    return nodes[this.dice.between(low, nodes.length - 1)] ?? null;
  }

  /** A sale of a campaign in that status; `undefined` if a few tries find none. */
  sale(campaign: VirtualCampaign, status: VirtualSale['status']): VirtualSale | undefined {
    const own = campaign.sales;
    for (let tries = 0; tries < 10 && own.length > 0; tries += 1) {
      const low = this.dice.chance(70) ? Math.max(0, own.length - 30) : 0;
      const found = own[this.dice.between(low, own.length - 1)];
      if (found?.status === status) return found;
    }
    return undefined;
  }

  policy(): PolicyTerms {
    const { dice } = this;
    const weightsBps = dice.pick(WEIGHTS);
    return {
      commissionBps: dice.pick([1, 333, 1_000, 2_500, 10_000]),
      perSaleCap: dice.pick([MAX_UINT256, MAX_UINT256, 1n, 40_000n, 99_999n]),
      campaignLiabilityCap: dice.pick([MAX_UINT256, MAX_UINT256, 300_000n, 5_000_000n]),
      maxRewardedAncestors: weightsBps.length,
      weightsBps,
      shortPathMode: dice.pick(['RENORMALIZE_EXISTING', 'RETURN_UNUSED'] as const),
      holdSeconds: dice.pick([60, 60, 75, 120, 600]),
      expiry: this.now + dice.pick([90_000, 5 * YEAR, 5 * YEAR, 5 * YEAR]),
      excludesSelfReferral: dice.chance(30),
      regions: dice.pick<readonly string[]>([[], ['EU'], ['EU', 'US']]),
      sharingRules: dice.pick<readonly string[]>([[], ['no spam ✓']]),
    };
  }

  /** Limits of an attester that are met often: small ones, and ones that end soon. */
  limits(): AttesterLimits {
    const { dice } = this;
    return {
      perOrder: dice.pick([1_000n, 300_000n, 10_000_000n, MAX_AMOUNT]),
      daily: dice.pick([2_000n, 600_000n, 20_000_000n, MAX_AMOUNT]),
      expiry: this.now + dice.pick([30, 5_000, 200_000, YEAR, YEAR]),
    };
  }

  /** An account that signs sales of a campaign: as a rule one whose signature counts. */
  signer({ trustMode, merchant, attesters }: VirtualCampaign): Address {
    const { dice } = this;
    if (trustMode === 'MERCHANT_ATTESTED') return merchant;
    const known = nonEmpty([...attesters.keys()]);
    if (known === undefined || dice.chance(5)) return dice.pick([merchant, this.person()]);
    return dice.pick(known);
  }

  token(terms: Partial<VirtualToken> & { readonly name: string }): VirtualToken {
    return {
      ...{ address: accountOf(`token ${terms.name} ${this.chain.seed}`), habit: 'honest' },
      ...{ decimals: 6, symbol: 'TUSD', blocked: new Set<Address>() },
      ...{ balance: 0n, obligations: 0n },
      ...terms,
    };
  }
}

/** Merchants, distributors and buyers who use the contract as it is meant to be used. */
export class HonestActors {
  readonly #tokens: NonEmpty<VirtualToken>;

  constructor(readonly stage: Stage) {
    this.#tokens = [
      stage.token({ name: 'Test Dollar' }),
      stage.token({ name: 'Eighteen', symbol: 'E18', decimals: 18 }),
      stage.token({ name: 'Fee', symbol: 'FEE', habit: 'receiverFee' }),
      // An honest token may refuse some accounts: each merchant can still be paid.
      stage.token({ name: 'Blocklist', blocked: new Set(stage.people.slice(0, 8)) }),
    ];
  }

  /** A new campaign, funded, with an attester and its first nodes. */
  opening(): Call[] {
    const { stage } = this;
    const { dice } = stage;
    const merchant = dice.pick(stage.merchants);
    const scarce = dice.chance(10);
    const terms = {
      ...{ merchant, hostile: false, token: dice.pick(this.#tokens), policy: stage.policy() },
      trustMode: dice.pick([
        ...(['NATIVE_ONCHAIN', 'NATIVE_ONCHAIN', 'NATIVE_ONCHAIN'] as const),
        ...(['MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const),
      ]),
      price: dice.pick([7n, 999n, 1_000_000n, 1_000_003n]),
      ...{ startsAt: 0, endsAt: stage.now + dice.pick([100_000, 9 * YEAR, 9 * YEAR]) },
      ...{ nodeCapacity: scarce ? 6 : 1_000_000, saleCapacity: scarce ? 12 : 1_000_000 },
      inviteOnly: dice.chance(15),
      nodesPerAccount: dice.pick([1, 25, 25, 25]),
      name: `${stage.unique()}`,
    };
    // Ids are counters: after a reorg these calls may mean another campaign, as on the chain.
    const id = String(stage.contract.campaigns.length + 1);
    const ref = { id, termsHash: namesOf(terms).termsHash };
    const [one, two] = [stage.person(), stage.person()];
    const attester = dice.pick(stage.attesters);
    return [
      stage.call('createCampaign', false, (to) => to.create(terms)),
      stage.call('fund', false, (to) => to.fund(ref, merchant, 50_000_000n)),
      stage.call('allowDistributor', false, (to) => to.allow(id, merchant, one, true)),
      stage.call('allowAttester', false, (to) =>
        to.allowAttester(id, merchant, attester, stage.limits()),
      ),
      stage.call('join', false, (to) => to.join(ref, one, null)),
      stage.call('join', false, (to) => to.join(ref, two, null)),
    ];
  }

  /** Any sensible call in any campaign; `undefined` if there is nothing to make one of. */
  move(): Call | undefined {
    const campaign = this.stage.campaign(false);
    if (campaign === undefined) return undefined;
    return this.stage.dice.weighted(MOVES).make(this.stage, campaign);
  }
}

type Make = (stage: Stage, campaign: VirtualCampaign) => Call | undefined;

const sell: Make = (stage, campaign) => {
  const order = {
    campaign,
    buyer: stage.person(),
    node: stage.node(campaign),
    orderKey: hash32(`order ${stage.unique()}`),
  };
  if (campaign.trustMode === 'NATIVE_ONCHAIN') {
    return stage.call('buy', campaign.hostile, (to) => sales.buy(to, order));
  }
  const amount = BigInt(stage.dice.pick([1, 999, 250_001, 9_000_000]));
  const signed = { signer: stage.signer(campaign), nonce: String(stage.unique()) };
  return stage.call('recordAttestedSale', campaign.hostile, (to) =>
    sales.attest(to, order, amount, signed),
  );
};

const refund: Make = (stage, campaign) => {
  const sale = stage.sale(campaign, 'pending');
  if (sale === undefined) return undefined;
  const left = sale.amount - sale.refunded;
  const part = stage.dice.pick([left, left / 2n + 1n, left / 3n + 1n, 1n]);
  return stage.call('refund', campaign.hostile, (to) =>
    sales.refund(to, sale, campaign.merchant, part),
  );
};

const finalize: Make = (stage, campaign) => {
  const due = Array.from({ length: 4 }, () => stage.sale(campaign, 'pending')?.id ?? 0);
  const ids = due.filter((id) => id > 0);
  return stage.call('finalize', campaign.hostile, (to) => sales.finalize(to, ids));
};

const reverse: Make = (stage, campaign) => {
  const sale = stage.sale(campaign, 'finalized');
  if (sale === undefined || campaign.trustMode === 'NATIVE_ONCHAIN') return undefined;
  return stage.call('reverse', campaign.hostile, (to) =>
    sales.reverse(to, sale, campaign.merchant),
  );
};

const claim: Make = (stage, campaign) => {
  const owed = nonEmpty([...campaign.claimable].filter(([, amount]) => amount > 0n));
  if (owed === undefined) return undefined;
  const [account] = stage.dice.pick(owed);
  return stage.call('claimRewards', campaign.hostile, (to) =>
    sales.claimRewards(to, campaign.id, account),
  );
};

const join: Make = (stage, campaign) => {
  const [by, parent] = [stage.person(), stage.dice.chance(25) ? null : stage.node(campaign)];
  return stage.call('join', campaign.hostile, (to) => to.join(campaign, by, parent));
};

const fund: Make = (stage, campaign) => {
  const { merchant, hostile } = campaign;
  const amount = BigInt(stage.dice.pick([5, 1_000, 250_000, 100_000_000]));
  const by = stage.dice.chance(70) ? merchant : stage.person();
  return stage.call('fund', hostile, (to) => to.fund(campaign, by, amount));
};

const schedulePolicy: Make = (stage, { id, merchant, hostile, policies }) => {
  if (policies.length > 12) return undefined;
  const [terms, delay] = [stage.policy(), stage.dice.pick([3_610, 4_000, 9_000])];
  const effectiveAt = stage.now + delay;
  return stage.call('schedulePolicy', hostile, (to) =>
    to.schedulePolicy(id, merchant, { ...terms, expiry: terms.expiry + delay }, effectiveAt),
  );
};

const withdrawSurplus: Make = (stage, { id, merchant, hostile, ledger }) => {
  const amount = ledger.available / 2n + 1n;
  return stage.call('withdrawSurplus', hostile, (to) => to.withdrawSurplus(id, merchant, amount));
};

const withdrawCredit: Make = (stage, { id, credits, hostile }) => {
  const owed = nonEmpty([...credits].filter(([, amount]) => amount > 0n));
  if (owed === undefined) return undefined;
  const [[account], to] = [stage.dice.pick(owed), stage.person()];
  return stage.call('withdrawCredit', hostile, (contract) =>
    contract.withdrawCredit(id, account, to),
  );
};

const MOVES: NonEmpty<{ readonly weight: number; readonly make: Make }> = [
  { weight: 36, make: sell },
  { weight: 13, make: join },
  { weight: 12, make: finalize },
  { weight: 8, make: refund },
  { weight: 7, make: claim },
  { weight: 5, make: reverse },
  { weight: 4, make: fund },
  { weight: 1.5, make: schedulePolicy },
  { weight: 1, make: withdrawSurplus },
  { weight: 1.5, make: withdrawCredit },
  {
    weight: 3,
    make: (stage, { id, merchant, hostile }) =>
      stage.call('claimProceeds', hostile, (to) => sales.claimProceeds(to, id, merchant)),
  },
  {
    weight: 1.5,
    make: (stage, { id, merchant, hostile, skuHash }) => {
      const sku = stage.dice.chance(50) ? skuHash : hash32('another variant');
      const price = BigInt(stage.dice.pick([3, 1_001, 750_000]));
      return stage.call('setVariantPrice', hostile, (to) => to.setPrice(id, merchant, sku, price));
    },
  },
  {
    weight: 1,
    make: (stage, { id, merchant, hostile }) =>
      stage.call('pause', hostile, (to) => to.pause(id, merchant)),
  },
  {
    weight: 3,
    make: (stage, { id, merchant, hostile }) =>
      stage.call('resume', hostile, (to) => to.resume(id, merchant)),
  },
  {
    weight: 0.15,
    make: (stage, { id, merchant, hostile }) =>
      stage.call('end', hostile, (to) => to.end(id, merchant)),
  },
  {
    weight: 1,
    make: (stage, { id, merchant, hostile }) => {
      const [account, allowed] = [stage.person(), stage.dice.chance(85)];
      return stage.call('allowDistributor', hostile, (to) =>
        to.allow(id, merchant, account, allowed),
      );
    },
  },
  {
    weight: 2,
    make: (stage, { id, merchant, hostile }) => {
      const account = stage.dice.pick(stage.attesters);
      const limits = stage.dice.chance(15) ? NO_ATTESTER : stage.limits();
      return stage.call('allowAttester', hostile, (to) =>
        to.allowAttester(id, merchant, account, limits),
      );
    },
  },
  {
    weight: 0.5,
    make: (stage, { id, merchant, hostile, nodeCapacity, saleCapacity }) => {
      const [nodes, all] = [nodeCapacity + stage.dice.below(4), saleCapacity + stage.dice.below(9)];
      return stage.call('raiseCapacity', hostile, (to) =>
        to.raiseCapacity(id, merchant, nodes, all),
      );
    },
  },
];
