import { campaignState, policyAt } from './campaign.ts';
import type { ChainEvent, Fact } from './events.ts';
import { type Account, applyAll, emptyAccount, type FoldState, type Sale } from './fold/index.ts';

/** Subject of a change. Its `id` is a number of the contract, a hash or an address. */
export type ChangeSubject =
  | 'campaign'
  | 'policy'
  | 'price'
  | 'sale'
  | 'account'
  | 'distributor'
  | 'attester';

/** A value that a transaction would change. Amounts are base units in decimal digits. */
export interface Change {
  readonly subject: ChangeSubject;
  readonly id: string;
  /** Name of the value: of a campaign, its path in `campaigns.get`. */
  readonly field: string;
  /** `null` if there is no value yet. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Values by the name of their field. */
export type FieldValues = Readonly<Record<string, string | null>>;

/** The fields that differ between two sets of values of one subject, in the order of `after`. */
export function changesOf(
  { subject, id }: Pick<Change, 'subject' | 'id'>,
  before: FieldValues,
  after: FieldValues,
): Change[] {
  return Object.entries(after).flatMap(([field, value]) => {
    const old = before[field] ?? null;
    return old === value ? [] : [{ subject, id, field, before: old, after: value }];
  });
}

/**
 * The state of a campaign if these events were its next ones, in a block at `timestamp` (Unix seconds). The
 * fold decides what each event does, as it will when the chain returns them.
 */
export function afterEvents(
  state: FoldState,
  events: readonly ChainEvent[],
  timestamp: number,
): FoldState {
  const { campaignId } = state;
  const position = { blockNumber: 0, blockHash: '0x', transactionHash: '0x', timestamp } as const;
  const facts = events.map(
    (event, logIndex): Fact => ({ ...event, ...position, campaignId, id: '', logIndex }),
  );
  return applyAll(state, facts).state;
}

/** The changes of a campaign, its sales and its accounts between two states. @param clock Unix seconds. */
export function allChanges(before: FoldState, after: FoldState, clock: number): Change[] {
  return [
    ...campaignChanges(before, after, clock),
    ...saleChanges(before, after),
    ...accountChanges(before, after),
  ];
}

/** The changes of a campaign between two of its states. @param clock Unix seconds of the block read. */
export function campaignChanges(before: FoldState, after: FoldState, clock: number): Change[] {
  const subject = { subject: 'campaign', id: after.campaignId } as const;
  return changesOf(subject, campaignValues(before, clock), campaignValues(after, clock));
}

/** The values of a campaign that events change, by their paths in `campaigns.get`. */
function campaignValues(state: FoldState, clock: number): FieldValues {
  const { price, nodeCapacity, saleCapacity, ledger, counts } = state.snapshot;
  const times = {
    endsAt: state.campaign?.endsAt ?? 0,
    policyExpiry: policyAt(state.policies, clock)?.expiry ?? 0,
  };
  return {
    state: campaignState(state.snapshot, times, clock),
    price: String(price),
    'capacity.nodes': String(nodeCapacity),
    'capacity.sales': String(saleCapacity),
    'rewardLedger.netDeposited': String(ledger.netDeposited),
    'rewardLedger.available': String(ledger.available),
    'rewardLedger.pendingReserved': String(ledger.pendingReserved),
    'rewardLedger.vestedUnclaimed': String(ledger.vestedUnclaimed),
    'rewardLedger.rewardsClaimed': String(ledger.rewardsClaimed),
    'proceedsLedger.proceedsPending': String(ledger.proceedsPending),
    'proceedsLedger.proceedsClaimable': String(ledger.proceedsClaimable),
    'proceedsLedger.buyerRefunded': String(ledger.buyerRefunded),
    'counts.pending': String(counts.pending),
    'counts.finalized': String(counts.finalized),
    'counts.refunded': String(counts.refunded),
  };
}

/** The changes of the sales that a state holds, between it and a later one. */
function saleChanges(before: FoldState, after: FoldState): Change[] {
  return [...before.sales].flatMap(([id, sale]) =>
    changesOf({ subject: 'sale', id }, saleValues(sale), saleValues(after.sales.get(id) ?? sale)),
  );
}

/** The changes of the accounts that a state holds, between it and a later one. */
function accountChanges(before: FoldState, after: FoldState): Change[] {
  return [...after.accounts].flatMap(([id, account]) =>
    changesOf(
      { subject: 'account', id },
      accountValues(before.accounts.get(id) ?? emptyAccount),
      accountValues(account),
    ),
  );
}

function saleValues({ state, refundedTotal }: Sale): FieldValues {
  return { state, refundedTotal: String(refundedTotal) };
}

/** Balances of an account in the campaign, base units. */
function accountValues({ reserved, claimable, refunded, reversed }: Account): FieldValues {
  return {
    reserved: String(reserved),
    claimable: String(claimable),
    refunded: String(refunded),
    reversed: String(reversed),
  };
}
