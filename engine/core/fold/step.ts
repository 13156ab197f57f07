import type { CampaignCounts, CampaignLedger, CampaignSnapshot, Policy } from '../campaign.ts';
import type { Address, EventName, Fact, Position } from '../events.ts';
import {
  type Account,
  type AccountCredit,
  type AttesterDay,
  type AttesterState,
  type Discrepancy,
  type DiscrepancyKind,
  type EntryKind,
  emptyAccount,
  type FoldState,
  type MissedReward,
  type Node,
  type Payment,
  type RewardEntry,
  type Sale,
  type SaleLevel,
} from './state.ts';

/** One event being folded: the fold's own copy of the state, and the effects so far. */
export interface Work {
  readonly state: FoldDraft;
  readonly fact: Position;
  readonly entries: RewardEntry[];
  readonly missed: MissedReward[];
  readonly discrepancies: Discrepancy[];
  sale: Sale | null;
  credit: AccountCredit | null;
  attester: AttesterDay | null;
}

/** One event of a known name being folded. */
export interface FoldStep<N extends EventName> extends Work {
  readonly fact: Fact<N>;
}

/** A state that one fold owns and changes: it writes to the maps, but never to their values. */
export interface FoldDraft extends Pick<FoldState, 'campaignId' | 'clock'> {
  seq: number;
  campaign: FoldState['campaign'];
  snapshot: CampaignSnapshot;
  policies: readonly Policy[];
  readonly nodes: Map<string, Node>;
  readonly sales: Map<string, Sale>;
  readonly accounts: Map<Address, Account>;
  readonly credits: Map<Address, bigint>;
  payment: Payment | null;
  readonly attesters: Map<Address, AttesterState>;
  attestation: FoldState['attestation'];
}

/** A copy of a state that a fold may change. */
export function draftOf(state: FoldState): FoldDraft {
  return {
    ...state,
    nodes: new Map(state.nodes),
    sales: new Map(state.sales),
    accounts: new Map(state.accounts),
    credits: new Map(state.credits),
    attesters: new Map(state.attesters),
  };
}

/** Adds a change to an amount. Without a change it returns the same bigint: `+ 0n` would allocate. */
function plus(amount: bigint, change: bigint | undefined): bigint {
  return change === undefined ? amount : amount + change;
}

/** Adds changes, base units, to the campaign's ledgers. */
export function adjustLedger(step: Work, change: Partial<CampaignLedger>): void {
  // Field by field: objects of one shape are several times faster than looping over the change.
  const old = step.state.snapshot.ledger;
  const ledger: CampaignLedger = {
    netDeposited: plus(old.netDeposited, change.netDeposited),
    available: plus(old.available, change.available),
    pendingReserved: plus(old.pendingReserved, change.pendingReserved),
    vestedUnclaimed: plus(old.vestedUnclaimed, change.vestedUnclaimed),
    rewardsClaimed: plus(old.rewardsClaimed, change.rewardsClaimed),
    surplusWithdrawn: plus(old.surplusWithdrawn, change.surplusWithdrawn),
    proceedsPending: plus(old.proceedsPending, change.proceedsPending),
    proceedsClaimable: plus(old.proceedsClaimable, change.proceedsClaimable),
    proceedsClaimed: plus(old.proceedsClaimed, change.proceedsClaimed),
    buyerRefunded: plus(old.buyerRefunded, change.buyerRefunded),
    creditOutstanding: plus(old.creditOutstanding, change.creditOutstanding),
  };
  step.state.snapshot = { ...step.state.snapshot, ledger };
}

/** Adds changes to the campaign's counts of sales and nodes. */
export function adjustCounts(step: Work, change: Partial<CampaignCounts>): void {
  const old = step.state.snapshot.counts;
  const counts: CampaignCounts = {
    pending: old.pending + (change.pending ?? 0),
    finalized: old.finalized + (change.finalized ?? 0),
    refunded: old.refunded + (change.refunded ?? 0),
    reversed: old.reversed + (change.reversed ?? 0),
    nodes: old.nodes + (change.nodes ?? 0),
  };
  step.state.snapshot = { ...step.state.snapshot, counts };
}

/** Records a discrepancy: the value that settlement computed, and the chain's. */
export function report(
  step: Work,
  kind: DiscrepancyKind,
  expected: bigint | number | string,
  actual: bigint | number | string,
  about: Partial<Pick<Discrepancy, 'saleId' | 'level' | 'account'>> = {},
): void {
  step.discrepancies.push({
    kind,
    saleId: about.saleId ?? null,
    level: about.level ?? null,
    account: about.account ?? null,
    expected: String(expected),
    actual: String(actual),
  });
}

/** Changes of an account's balances, base units; balances that are not named do not change. */
export type BalanceChange = Partial<Omit<Account, 'lastClaimSeq'>>;

/** Changes an account's balances and records the movement as an entry; an amount of 0 does nothing. */
export function post(step: Work, entry: Omit<RewardEntry, 'after'>, change: BalanceChange): void {
  if (entry.amount === 0n) return;
  const before = step.state.accounts.get(entry.account) ?? emptyAccount;
  const after: Account = {
    reserved: plus(before.reserved, change.reserved),
    claimable: plus(before.claimable, change.claimable),
    claimed: plus(before.claimed, change.claimed),
    refunded: plus(before.refunded, change.refunded),
    reversed: plus(before.reversed, change.reversed),
    ready: plus(before.ready, change.ready),
    lastClaimSeq: entry.kind === 'claim' ? step.state.seq : before.lastClaimSeq,
  };
  step.state.accounts.set(entry.account, after);
  step.entries.push({ ...entry, after });
}

/**
 * Moves a reward of a level; `level` is its state after the move. An amount that leaves the reserve
 * leaves `atRisk`, or `readyToFinalize` if the hold is over.
 */
export function postLevel(
  step: Work,
  kind: EntryKind,
  sale: Pick<Sale, 'saleId' | 'holdUntil'>,
  level: Pick<SaleLevel, 'level' | 'nodeId' | 'recipient' | 'reserved'>,
  amount: bigint,
  change: BalanceChange,
): void {
  const overdue = sale.holdUntil <= step.state.clock;
  post(
    step,
    {
      kind,
      account: level.recipient,
      saleId: sale.saleId,
      level: level.level,
      nodeId: level.nodeId,
      amount,
      heldAfter: level.reserved,
    },
    overdue ? { ...change, ready: change.reserved ?? 0n } : change,
  );
}

/** Stores a sale in the state of the fold. */
export function putSale(step: Work, sale: Sale): void {
  step.state.sales.set(sale.saleId, sale);
}

/** Stores a sale with one of its levels replaced, and returns it. */
export function putLevel(step: Work, sale: Sale, level: SaleLevel): Sale {
  const levels = sale.levels.map((old) => (old.level === level.level ? level : old));
  const next = { ...sale, levels };
  putSale(step, next);
  return next;
}
