import { emptyLedger } from '../campaign.ts';
import { type EventName, type Fact, FactError } from '../events.ts';
import { allowAttester, attestationOf } from './attest.ts';
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
import type { Applied, FoldState } from './state.ts';
import { draftOf, type FoldDraft, type FoldStep } from './step.ts';

export { attestationOf, dayOf } from './attest.ts';
export { hasClaimedSince, REVERSAL_SECONDS } from './close.ts';
export { paymentOf } from './credit.ts';
export * from './outcome.ts';
export { FIRST_STATE, MAX_LEVELS } from './record.ts';
export * from './state.ts';

/** The rule of each event: how it changes a campaign. An event without a rule does not compile. */
const rules: { readonly [N in EventName]: (step: FoldStep<N>) => void } = {
  CampaignCreated: createCampaign,
  CapacityRaised: ({ state, fact }) => {
    state.snapshot = { ...state.snapshot, ...fact.args };
  },
  VariantPriced: priceVariant,
  PolicyScheduled: schedulePolicy,
  CampaignFunded: fundCampaign,
  SurplusWithdrawn: withdrawSurplus,
  CampaignPaused: ({ state }) => {
    state.snapshot = { ...state.snapshot, paused: true };
  },
  CampaignResumed: ({ state }) => {
    state.snapshot = { ...state.snapshot, paused: false };
  },
  CampaignEnded: ({ state }) => {
    state.snapshot = { ...state.snapshot, ended: true };
  },
  // The contract enforces who may join; the ledger stores the permissions as versions.
  DistributorAllowed: () => {},
  AttesterAllowed: allowAttester,
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
export function emptyCampaign(campaignId: string): FoldState {
  return {
    campaignId,
    seq: 0,
    campaign: null,
    snapshot: {
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
    attesters: new Map(),
    attestation: null,
  };
}

/**
 * Folds one event into a campaign (docs/how-it-works/settlement.md). Pure: neither argument is changed.
 * @internal for tests, which fold event by event.
 * @throws {FactError} if the event cannot follow those folded before it.
 */
export function apply(
  state: FoldState,
  fact: Fact,
): { readonly state: FoldState; readonly applied: Applied } {
  const draft = draftOf(state);
  const applied = applyTo(draft, fact);
  return { state: draft, applied };
}

/**
 * Folds a batch of a campaign's events, in the order of their ids. The result equals that of `apply`
 * for one event after the other, but the state is copied only once.
 * @throws {FactError} if an event cannot follow those folded before it.
 */
export function applyAll(
  state: FoldState,
  facts: readonly Fact[],
): { readonly state: FoldState; readonly applied: readonly Applied[] } {
  const draft = draftOf(state);
  const applied = facts.map((fact) => applyTo(draft, fact));
  return { state: draft, applied };
}

function applyTo(draft: FoldDraft, fact: Fact): Applied {
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
  const step: FoldStep<EventName> = {
    state: draft,
    fact,
    entries: [],
    missed: [],
    discrepancies: [],
    sale: null,
    credit: null,
    attester: null,
  };
  // The table above pairs each name with a rule for that name; TypeScript cannot follow it.
  const rule = rules[fact.name] as (step: FoldStep<EventName>) => void;
  rule(step);
  draft.payment = paymentOf(fact, isNative(draft));
  draft.attestation = attestationOf(fact);
  return {
    seq: draft.seq,
    fact,
    snapshot: draft.snapshot,
    entries: step.entries,
    missed: step.missed,
    discrepancies: step.discrepancies,
    sale: step.sale,
    credit: step.credit,
    attester: step.attester,
  };
}
