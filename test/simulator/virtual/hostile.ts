import type { NonEmpty } from '../dice.ts';
import type { Stage } from './actors.ts';
import type { Call } from './chain.ts';
import { MAX_AMOUNT, NOTICE_SECONDS, namesOf } from './contract.ts';
import * as sales from './contract-sales.ts';
import type {
  AttesterLimits,
  CampaignRef,
  CampaignTerms,
  PolicyTerms,
  VirtualCampaign,
  VirtualToken,
} from './contract-state.ts';
import { accountOf, hash32 } from './hash.ts';

const MAX_UINT256 = (1n << 256n) - 1n;
/** The latest time that the contract accepts, unix seconds: the end of the year 9999. */
const MAX_TIME = 253_402_300_799;
const MAX_CAPACITY = 2 ** 53 - 1;

/** Sales of the greatest amount, each refunded in whole, after which sums pass what one amount can be. */
const CYCLES = 20;

/** Text that breaks what does not expect it: each within the contract's 32 or 64 bytes. */
const TEXTS: NonEmpty<string> = [
  '\0',
  'a\0b\0c',
  '\uFFFD\uFFFD',
  '\uD800',
  '\u202Edlrow olleh',
  '\u0645\u0631\u062D\u0628\u0627',
  "'; drop schema ledger cascade; --",
  '\\u0000 \\x00 $1 %s',
  '{"__proto__":1}',
  '\u{1F4A9}'.repeat(8),
  'x'.repeat(32),
  '\r\n\t\u001b[2J',
  '',
];

/**
 * A merchant that does its worst: with tokens, numbers, strings and sequences. Only its own campaigns
 * may be affected.
 */
export class HostileMerchant {
  readonly address = accountOf('hostile merchant');
  readonly #tokens: VirtualToken[] = [];
  /** Times at which a block is to be mined, for rules that change at a second. */
  readonly wantedTimes: number[] = [];

  constructor(readonly stage: Stage) {}

  /** One of its attacks: a sequence of calls, to be sent in this order. */
  attack(): Call[] {
    return this.stage.dice.weighted(ATTACKS).make(this);
  }

  campaign(): VirtualCampaign | undefined {
    return this.stage.campaign(true);
  }

  call(name: string, run: Call['run']): Call {
    return this.stage.call(name, true, run);
  }

  token(): VirtualToken {
    const { dice } = this.stage;
    const known = this.#tokens[dice.below(20)];
    if (known !== undefined) return known;
    const habits = ['honest', 'receiverFee', 'senderFee', 'blocklist', 'reentrant'] as const;
    const token = this.stage.token({
      habit: dice.pick(habits),
      decimals: dice.pick([0, 6, 18, 36]),
      symbol: dice.pick(TEXTS),
      name: dice.pick(TEXTS),
      address: accountOf(`hostile token ${this.#tokens.length} ${this.stage.chain.seed}`),
      blocked: new Set(this.stage.people.filter(() => dice.chance(50))),
    });
    this.#tokens.push(token);
    return token;
  }

  policy(): PolicyTerms {
    const { dice } = this.stage;
    return {
      ...this.stage.policy(),
      commissionBps: dice.pick([1, 10_000]),
      perSaleCap: dice.pick([1n, MAX_UINT256, MAX_AMOUNT - 1n]),
      campaignLiabilityCap: dice.pick([1n, MAX_UINT256, MAX_UINT256, MAX_AMOUNT]),
      expiry: dice.pick([this.stage.now + NOTICE_SECONDS + 7, MAX_TIME, MAX_TIME]),
      regions: Array.from({ length: dice.pick([0, 1, 32]) }, () => dice.pick(TEXTS)),
      sharingRules: [dice.pick(TEXTS).repeat(2)],
    };
  }

  /** Limits of an attester at the edges of what the contract accepts. */
  limits(): AttesterLimits {
    const { dice, now } = this.stage;
    const expiry = dice.pick([0, now, now + 20, MAX_TIME, MAX_TIME + 1]);
    this.wantedTimes.push(expiry - 1, expiry);
    return {
      perOrder: dice.pick([0n, 1n, MAX_AMOUNT, MAX_AMOUNT + 1n]),
      daily: dice.pick([1n, MAX_AMOUNT]),
      expiry,
    };
  }

  terms(): CampaignTerms {
    const { stage } = this;
    const { dice } = stage;
    return {
      ...{ merchant: this.address, hostile: true, token: this.token(), policy: this.policy() },
      trustMode: dice.pick([
        ...(['NATIVE_ONCHAIN', 'NATIVE_ONCHAIN'] as const),
        ...(['MERCHANT_ATTESTED', 'THIRD_PARTY_VERIFIED'] as const),
      ]),
      price: dice.pick([1n, MAX_AMOUNT, MAX_AMOUNT >> 1n, 1n << 255n]),
      ...{ startsAt: 0, endsAt: MAX_TIME, inviteOnly: dice.chance(10) },
      nodeCapacity: dice.pick([0, 1, MAX_CAPACITY]),
      saleCapacity: dice.pick([0, 1, MAX_CAPACITY, MAX_CAPACITY]),
      nodesPerAccount: dice.pick([1, 25, 4_294_967_295]),
      name: `hostile ${stage.unique()}`,
    };
  }

  create(terms = this.terms()): Call {
    return this.call('createCampaign', (to) => to.create(terms));
  }

  /** A campaign as calls will name it, if no other one is created before. */
  refOf(terms: CampaignTerms): CampaignRef {
    const id = String(this.stage.contract.campaigns.length + 1);
    return { id, termsHash: namesOf(terms).termsHash };
  }
}

type Attack = (merchant: HostileMerchant) => Call[];

/** Reserves all that there can be, and refunds it, until sums need more than 128 bits. */
const passTheGreatestNumber: Attack = (merchant) => {
  const { stage, address } = merchant;
  const policy: PolicyTerms = {
    ...merchant.policy(),
    ...{ commissionBps: 10_000, perSaleCap: MAX_UINT256, campaignLiabilityCap: MAX_UINT256 },
    ...{ maxRewardedAncestors: 1, weightsBps: [10_000], expiry: MAX_TIME },
  };
  const token = stage.token({
    name: stage.dice.pick(TEXTS),
    address: accountOf(`greatest ${stage.unique()} ${stage.chain.seed}`),
  });
  const terms: CampaignTerms = {
    ...merchant.terms(),
    ...{ token, policy, trustMode: 'MERCHANT_ATTESTED', inviteOnly: false },
    ...{ nodeCapacity: 9, saleCapacity: MAX_CAPACITY },
  };
  const campaign = merchant.refOf(terms);
  const node = { id: stage.contract.nodes.length + 1, owner: address };
  const calls = [
    merchant.create(terms),
    merchant.call('fund', (to) => to.fund(campaign, address, MAX_AMOUNT)),
    merchant.call('join', (to) => to.join(campaign, address, null)),
  ];
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const orderKey = hash32(`cycle ${stage.unique()}`);
    const signed = { signer: address, nonce: String(stage.unique()) };
    const order = { campaign, buyer: stage.person(), node, orderKey };
    calls.push(
      merchant.call('recordAttestedSale', (to) => sales.attest(to, order, MAX_AMOUNT, signed)),
      merchant.call('refund', (to) => sales.refund(to, order, address, MAX_AMOUNT)),
    );
  }
  return calls;
};

const createOne: Attack = (merchant) => {
  const { address } = merchant;
  const terms = merchant.terms();
  const ref = merchant.refOf(terms);
  const amount = merchant.stage.dice.pick([1n, MAX_AMOUNT >> 1n, MAX_AMOUNT, MAX_UINT256]);
  return [
    merchant.create(terms),
    merchant.call('fund', (to) => to.fund(ref, address, amount)),
    merchant.call('allowAttester', (to) =>
      to.allowAttester(ref.id, address, merchant.stage.person(), merchant.limits()),
    ),
    merchant.call('join', (to) => to.join(ref, address, null)),
  ];
};

const cheapCampaigns: Attack = (merchant) =>
  Array.from({ length: merchant.stage.dice.between(5, 25) }, () => merchant.create());

/** A call in one of its campaigns; none while it has none. */
function within(make: (campaign: VirtualCampaign, merchant: HostileMerchant) => Call[]): Attack {
  return (merchant) => {
    const campaign = merchant.campaign();
    return campaign === undefined ? [merchant.create()] : make(campaign, merchant);
  };
}

const joinFlood = within((campaign, { stage, address }) => {
  const parent = campaign.nodes[0] ?? null;
  return Array.from({ length: 30 }, () =>
    stage.call('join', true, (to) => to.join(campaign, address, parent)),
  );
});

/** Sells to itself: dust and the greatest amounts, again under the same order key. */
const sellToItself = within((campaign, { stage, address }) => {
  const { dice } = stage;
  const orderKey = hash32(`hostile order ${dice.below(5)}`);
  return Array.from({ length: dice.between(1, 6) }, () => {
    const order = {
      ...{ campaign, orderKey, node: stage.node(campaign) },
      buyer: dice.chance(50) ? address : stage.person(),
    };
    if (campaign.trustMode === 'NATIVE_ONCHAIN') {
      return stage.call('buy', true, (to) => sales.buy(to, order));
    }
    const amount = dice.pick([1n, MAX_AMOUNT, MAX_AMOUNT + 1n, 1n << 100n]);
    const signed = { signer: stage.signer(campaign), nonce: String(stage.unique()) };
    return stage.call('recordAttestedSale', true, (to) => sales.attest(to, order, amount, signed));
  });
});

const closeSales = within((campaign, { stage, address }) => {
  const pending = stage.sale(campaign, 'pending');
  const finalized = stage.sale(campaign, 'finalized');
  const unknown = [0, -1, 2 ** 40, pending?.id ?? 1, pending?.id ?? 1];
  return [
    ...(pending === undefined
      ? []
      : [stage.call('refund', true, (to) => sales.refund(to, pending, address, 1n))]),
    stage.call('finalize', true, (to) => sales.finalize(to, unknown)),
    ...(finalized === undefined
      ? []
      : [stage.call('reverse', true, (to) => sales.reverse(to, finalized, address))]),
    ...[...campaign.claimable.keys()]
      .slice(0, 3)
      .map((account) =>
        stage.call('claimRewards', true, (to) => sales.claimRewards(to, campaign.id, account)),
      ),
  ];
});

/** Schedules policies that take effect, and expire, at the second of a block. */
const policyAtTheSecond = within(({ id, policies }, merchant) => {
  const { stage, address } = merchant;
  if (policies.length > 20) return [];
  const effectiveAt = stage.now + NOTICE_SECONDS + 20;
  const terms = { ...merchant.policy(), expiry: effectiveAt + stage.dice.pick([1, 60, 9_999]) };
  merchant.wantedTimes.push(effectiveAt - 1, effectiveAt, terms.expiry);
  return [
    stage.call('schedulePolicy', true, (to) => to.schedulePolicy(id, address, terms, effectiveAt)),
  ];
});

const pauseAndResume = within(({ id }, { stage, address }) => [
  stage.call('pause', true, (to) => to.pause(id, address)),
  stage.call('resume', true, (to) => to.resume(id, address)),
  stage.call('pause', true, (to) => to.pause(id, address)),
  stage.call('resume', true, (to) => to.resume(id, address)),
]);

/** Calls that only another merchant may make. */
const foreignCampaign: Attack = ({ stage, address }) => {
  const victim = stage.campaign(false);
  if (victim === undefined) return [];
  const sale = stage.sale(victim, 'pending');
  const node = stage.node(victim);
  return [
    stage.call('end', true, (to) => to.end(victim.id, address)),
    stage.call('withdrawSurplus', true, (to) => to.withdrawSurplus(victim.id, address, 1n)),
    stage.call('join', true, (to) => to.join(victim, address, node)),
    ...(sale === undefined
      ? []
      : [stage.call('refund', true, (to) => sales.refund(to, sale, address, 1n))]),
  ];
};

const ATTACKS: NonEmpty<{ readonly weight: number; readonly make: Attack }> = [
  { weight: 3, make: createOne },
  { weight: 0.3, make: passTheGreatestNumber },
  { weight: 0.5, make: cheapCampaigns },
  { weight: 1, make: joinFlood },
  { weight: 6, make: sellToItself },
  { weight: 4, make: closeSales },
  { weight: 2, make: policyAtTheSecond },
  { weight: 1, make: pauseAndResume },
  { weight: 2, make: foreignCampaign },
];
