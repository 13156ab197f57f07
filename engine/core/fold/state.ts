import type { Campaign, Policy, Standing } from '../campaign.ts';
import type { Address, Fact, Hex } from '../events.ts';
import type { CapReason } from '../split.ts';

/** A link of the referral graph. */
export interface Node {
  readonly nodeId: string;
  /** `null` for a root. */
  readonly parentNodeId: string | null;
  /** The account that joined, for good: the recipient of the node's rewards. */
  readonly owner: Address;
  /** 1 for a root. */
  readonly depth: number;
}

export type SaleState = 'pending' | 'finalized' | 'refunded' | 'reversed';

/** One level of a sale and what became of its share; all amounts base units. */
export interface SaleLevel {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  /** What the sale gave the level. */
  readonly share: bigint;
  /** Still held. */
  readonly reserved: bigint;
  /** Given back by refunds. */
  readonly released: bigint;
  /** Vested by finalization, what was reversed included. */
  readonly vested: bigint;
  readonly reversed: bigint;
  /** Seq of its RewardVested. */
  readonly vestedSeq: number | null;
}

export interface Sale {
  readonly saleId: string;
  readonly buyer: Address;
  /** `null` for a direct sale. */
  readonly nodeId: string | null;
  /** What the contract received, base units. */
  readonly amount: bigint;
  readonly pool: bigint;
  readonly policyVersion: number;
  /** Unix seconds from which it can be finalized. */
  readonly holdUntil: number;
  readonly orderKey: Hex;
  readonly skuHash: Hex;
  readonly state: SaleState;
  /** Cumulative, base units. */
  readonly refundedTotal: bigint;
  /** Unix seconds of its SaleFinalized. */
  readonly finalizedAt: number | null;
  readonly levels: readonly SaleLevel[];
}

/** What an account has in a campaign, by its events alone; base units. */
export interface Balances {
  /** Held: `atRisk` and `readyToFinalize` together, because the hold's end is no event. */
  readonly reserved: bigint;
  readonly claimable: bigint;
  readonly claimed: bigint;
  readonly refunded: bigint;
  readonly reversed: bigint;
}

const emptyBalances: Balances = {
  reserved: 0n,
  claimable: 0n,
  claimed: 0n,
  refunded: 0n,
  reversed: 0n,
};

export interface Account extends Balances {
  /** The part of `reserved` whose hold was over at the campaign's clock. */
  readonly ready: bigint;
  /** Seq of the newest RewardsClaimed. */
  readonly lastClaimSeq: number | null;
}

export const emptyAccount: Account = { ...emptyBalances, ready: 0n, lastClaimSeq: null };

/** An amount that the contract paid, or tried to pay, to an account. */
export interface Payment {
  readonly account: Address;
  /** Base units. */
  readonly amount: bigint;
}

/** The credit of an account in a campaign after an event that changed it. */
export interface AccountCredit {
  readonly account: Address;
  /** Base units, not yet withdrawn. */
  readonly after: bigint;
}

/**
 * A campaign as far as a batch of its events needs it: the maps hold every node, sale and account
 * that those events name, and each named node's ancestors up to the deepest rewarded level.
 */
export interface CampaignState {
  readonly campaignId: string;
  /** How many of its events were folded: the seq of the newest, counted from 1. */
  readonly seq: number;
  /** `null` before its CampaignCreated. */
  readonly campaign: Campaign | null;
  readonly standing: Standing;
  /** Unix seconds up to which ended holds were moved to `ready`. */
  readonly clock: number;
  readonly policies: readonly Policy[];
  readonly nodes: ReadonlyMap<string, Node>;
  readonly sales: ReadonlyMap<string, Sale>;
  readonly accounts: ReadonlyMap<Address, Account>;
  /** Refused refunds and rewards that each account has not withdrawn yet, base units. */
  readonly credits: ReadonlyMap<Address, bigint>;
  /** What the newest event paid to a buyer or distributor; `null` if it paid nobody. */
  readonly payment: Payment | null;
}

/**
 * How an amount moved between an account's buckets:
 * `reserve` vault → reserved, `release` reserved → refunded, `vest` reserved → claimable,
 * `claim` claimable → claimed, `reverse` claimable → reversed, and `return` reserved → vault, for
 * what a closed sale still held (a discrepancy, design §5).
 */
export type EntryKind = 'reserve' | 'release' | 'vest' | 'claim' | 'reverse' | 'return';

/** A movement of an account's money, with the balances after it. Append-only. */
export interface RewardEntry {
  readonly kind: EntryKind;
  readonly account: Address;
  /** `null` for a claim, which takes all there is. */
  readonly saleId: string | null;
  readonly level: number | null;
  readonly nodeId: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly after: Balances;
  /** What the level still holds after it; `null` where the entry is of no known level. */
  readonly heldAfter: bigint | null;
}

/** What a cap cost a level of a sale (design §4). */
export interface MissedReward {
  readonly saleId: string;
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly reason: CapReason;
  /** Base units. */
  readonly amount: bigint;
}

/** What settlement computed and the chain said otherwise. One base unit is one (design §5). */
export interface Discrepancy {
  readonly kind: DiscrepancyKind;
  readonly saleId: string | null;
  readonly level: number | null;
  readonly account: Address | null;
  readonly expected: string;
  readonly actual: string;
}

export type DiscrepancyKind =
  | 'CAMPAIGN_STATE'
  | 'CAPACITY'
  | 'CLAIM_AMOUNT'
  | 'CREDIT'
  | 'DUPLICATE'
  | 'HOLD_UNTIL'
  | 'LEVEL_COUNT'
  | 'POLICY_VERSION'
  | 'POOL'
  | 'PROCEEDS'
  | 'RECIPIENT'
  | 'RELEASE'
  | 'REVERSAL'
  | 'SALE_STATE'
  | 'SHARE'
  | 'SURPLUS'
  | 'UNKNOWN_NODE'
  | 'UNKNOWN_SALE'
  | 'VEST'
  | 'REFUND_TOTAL';

/** What one event did. */
export interface Applied {
  /** The event's place among the campaign's events, from 1: its name inside the ledger. */
  readonly seq: number;
  readonly fact: Fact;
  /** The campaign after it. */
  readonly standing: Standing;
  readonly entries: readonly RewardEntry[];
  readonly missed: readonly MissedReward[];
  readonly discrepancies: readonly Discrepancy[];
  /** The sale whose state or refunded total it set, as it stands after it. */
  readonly sale: Sale | null;
  /** The credit that it changed. */
  readonly credit: AccountCredit | null;
}
