import { emptyLedger } from '../campaign.ts';
import { type EventName, type Fact, FactError } from '../events.ts';
import {
  claimProceeds,
  createCampaign,
  fundCampaign,
  joinNode,
  priceVariant,
  schedulePolicy,
  withdrawSurplus,
} from './campaign.ts';
import {
  claimRewards,
  finalizeSale,
  refundSale,
  releaseReward,
  reverseReward,
  reverseSale,
  vestReward,
} from './close.ts';
import { creditPayment, paymentOf, withdrawCredit } from './credit.ts';
import { isNative, recordSale } from './record.ts';
import type { Applied, CampaignState } from './state.ts';
import { type Draft, draftOf, type Step } from './step.ts';

export { REVERSAL_SECONDS } from './close.ts';
export { paymentOf } from './credit.ts';
export { MOST_LEVELS } from './record.ts';
export * from './state.ts';

/** What each event does to a campaign. An event without a rule does not compile. */
const rules: { readonly [N in EventName]: (step: Step<N>) => void } = {
  CampaignCreated: createCampaign,
  CapacityRaised: ({ state, fact }) => {
    state.standing = { ...state.standing, ...fact.args };
  },
  VariantPriced: priceVariant,
  PolicyScheduled: schedulePolicy,
  CampaignFunded: fundCampaign,
  SurplusWithdrawn: withdrawSurplus,
  CampaignPaused: ({ state }) => {
    state.standing = { ...state.standing, paused: true };
  },
  CampaignResumed: ({ state }) => {
    state.standing = { ...state.standing, paused: false };
  },
  CampaignEnded: ({ state }) => {
    state.standing = { ...state.standing, ended: true };
  },
  // Who may join or attest was the contract's to enforce; the ledger keeps it as versions.
  DistributorAllowed: () => {},
  AttesterAllowed: () => {},
  NodeJoined: joinNode,
  SaleRecorded: recordSale,
  // Names the signer of the SaleRecorded that follows; no money moves.
  SaleAttested: () => {},
  RewardReleased: releaseReward,
  SaleRefunded: refundSale,
  RewardVested: vestReward,
  SaleFinalized: finalizeSale,
  RewardReversed: reverseReward,
  SaleReversed: reverseSale,
  RewardsClaimed: claimRewards,
  ProceedsClaimed: claimProceeds,
  PaymentCredited: creditPayment,
  CreditWithdrawn: withdrawCredit,
};

/** A campaign before its first event. */
export function emptyCampaign(campaignId: string): CampaignState {
  return {
    campaignId,
    seq: 0,
    campaign: null,
    standing: {
      funded: false,
      paused: false,
      ended: false,
      price: 0n,
      nodeCapacity: 0,
      saleCapacity: 0,
      ledger: emptyLedger,
      counts: { pending: 0, finalized: 0, refunded: 0, reversed: 0, nodes: 0 },
    },
    clock: 0,
    policies: [],
    nodes: new Map(),
    sales: new Map(),
    accounts: new Map(),
    credits: new Map(),
    payment: null,
  };
}

/**
 * Folds one event into a campaign (design §5). Pure: neither argument is changed.
 * @throws {FactError} where the event cannot follow what was folded before it.
 */
export function apply(
  state: CampaignState,
  fact: Fact,
): { readonly state: CampaignState; readonly applied: Applied } {
  const draft = draftOf(state);
  const applied = applyTo(draft, fact);
  return { state: draft, applied };
}

/**
 * Folds a batch of a campaign's events, in the order of their ids: the same as `apply` one after
 * the other, with one copy of the state instead of one for each event.
 * @throws {FactError} where an event cannot follow what was folded before it.
 */
export function applyAll(
  state: CampaignState,
  facts: readonly Fact[],
): { readonly state: CampaignState; readonly applied: readonly Applied[] } {
  const draft = draftOf(state);
  const applied = facts.map((fact) => applyTo(draft, fact));
  return { state: draft, applied };
}

function applyTo(draft: Draft, fact: Fact): Applied {
  if (fact.campaignId !== draft.campaignId) {
    throw new FactError(
      `event ${fact.id} is of campaign ${fact.campaignId}, not ${draft.campaignId}`,
    );
  }
  if (draft.campaign === null && fact.name !== 'CampaignCreated') {
    throw new FactError(
      `campaign ${fact.campaignId} begins with ${fact.name}: START_BLOCK is after its creation`,
    );
  }
  draft.seq += 1;
  const step: Step<EventName> = {
    state: draft,
    fact,
    entries: [],
    missed: [],
    discrepancies: [],
    sale: null,
    credit: null,
  };
  // The table above pairs each name with a rule for that very name; TypeScript cannot follow it.
  const rule = rules[fact.name] as (step: Step<EventName>) => void;
  rule(step);
  draft.payment = paymentOf(fact, isNative(draft));
  return {
    seq: draft.seq,
    fact,
    standing: draft.standing,
    entries: step.entries,
    missed: step.missed,
    discrepancies: step.discrepancies,
    sale: step.sale,
    credit: step.credit,
  };
}
