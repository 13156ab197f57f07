import type { Campaign, CampaignSnapshot, Policy } from '../campaign.ts';
import type { Address, EventArgs, Fact, Hex } from '../events.ts';
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

/** State of a sale, from its events. */
export type SaleState = 'pending' | 'finalized' | 'refunded' | 'reversed';

/** One level of a sale and the use of its share; all amounts in base units. */
export interface SaleLevel {
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  /** Reward that the sale gave the level. */
  readonly share: bigint;
  /** Part that is still held. */
  readonly reserved: bigint;
  /** Part that refunds returned to the budget. */
  readonly released: bigint;
  /** Part that finalization vested, including what was reversed later. */
  readonly vested: bigint;
  readonly reversed: bigint;
  /** Sequence number of its RewardVested; `null` before it. */
  readonly vestedSeq: number | null;
}

/** A sale after the events folded so far. */
export interface Sale {
  readonly saleId: string;
  readonly buyer: Address;
  /** `null` for a sale without a link. */
  readonly nodeId: string | null;
  /** Amount that the contract received, base units. */
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
  /** Unix seconds of its SaleFinalized; `null` before it. */
  readonly finalizedAt: number | null;
  readonly levels: readonly SaleLevel[];
}

/** Balances of an account in a campaign, from its events alone; base units. */
export interface Balances {
  /** Held rewards: `atRisk` and `readyToFinalize` together, because the end of a hold is not an event. */
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

/** An account's balances in a campaign, and what the next event needs to know of it. */
export interface Account extends Balances {
  /** Part of `reserved` whose hold was over at the campaign's clock. */
  readonly ready: bigint;
  /** Sequence number of the newest RewardsClaimed; `null` before the first. */
  readonly lastClaimSeq: number | null;
}

/** An account without any reward yet. */
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

/** Limits of an attester in a campaign, and the sum of its sales of a day; amounts in base units. */
export interface AttesterState {
  /** Largest amount of one sale. */
  readonly perOrder: bigint;
  /** Largest sum of the sales of one day. */
  readonly daily: bigint;
  /** Unix seconds from which it may attest nothing; 0 if it has no permission. */
  readonly expiry: number;
  /** The day (UTC) of its newest sale, unix days. */
  readonly day: number;
  /** Sum of its sales of that day; refunds do not lower it. */
  readonly attested: bigint;
}

/** Sum of the sales of an attester on a day, after one more sale. */
export interface AttesterDay extends Pick<AttesterState, 'day' | 'attested'> {
  readonly account: Address;
}

/**
 * The part of a campaign that folding a batch of its events needs: the maps hold every node, sale and
 * account that those events name, and each named node's ancestors up to the deepest rewarded level.
 */
export interface FoldState {
  readonly campaignId: string;
  /** Number of its events that were folded: the sequence number of the newest one. */
  readonly seq: number;
  /** `null` before its CampaignCreated. */
  readonly campaign: Campaign | null;
  readonly snapshot: CampaignSnapshot;
  /** Unix seconds up to which rewards with an ended hold were moved to `ready`. */
  readonly clock: number;
  readonly policies: readonly Policy[];
  readonly nodes: ReadonlyMap<string, Node>;
  readonly sales: ReadonlyMap<string, Sale>;
  readonly accounts: ReadonlyMap<Address, Account>;
  /** Refused refunds and rewards that each account has not withdrawn yet, base units. */
  readonly credits: ReadonlyMap<Address, bigint>;
  /** Payment of the newest event to a buyer or distributor; `null` if there was none. */
  readonly payment: Payment | null;
  /** Accounts that sign SaleAttested events of a THIRD_PARTY_VERIFIED campaign. */
  readonly attesters: ReadonlyMap<Address, AttesterState>;
  /** The newest event, if it is a SaleAttested: the sale that it attests comes next. */
  readonly attestation: EventArgs<'SaleAttested'> | null;
}

/**
 * Kind of a movement between an account's buckets (docs/how-it-works/settlement.md#buckets):
 * `reserve` vault → reserved, `release` reserved → refunded, `vest` reserved → claimable,
 * `claim` claimable → claimed, `reverse` claimable → reversed, and `return` reserved → vault, for
 * an amount that a closed sale still held (a discrepancy).
 */
export type EntryKind = 'reserve' | 'release' | 'vest' | 'claim' | 'reverse' | 'return';

/** A movement of an account's money, with the balances after it. Append-only. */
export interface RewardEntry {
  readonly kind: EntryKind;
  readonly account: Address;
  /** `null` for a claim, which pays the rewards of all sales. */
  readonly saleId: string | null;
  readonly level: number | null;
  readonly nodeId: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly after: Balances;
  /** Base units that the level still holds after it; `null` if the entry belongs to no known level. */
  readonly heldAfter: bigint | null;
}

/** Reward that a cap cost a level of a sale. */
export interface MissedReward {
  readonly saleId: string;
  readonly level: number;
  readonly nodeId: string;
  readonly recipient: Address;
  readonly reason: CapReason;
  /** Base units. */
  readonly amount: bigint;
}

/** A difference between the chain and what settlement computed, even of one base unit. */
export interface Discrepancy {
  readonly kind: DiscrepancyKind;
  readonly saleId: string | null;
  readonly level: number | null;
  readonly account: Address | null;
  readonly expected: string;
  readonly actual: string;
}

/** Subject of a discrepancy. */
export type DiscrepancyKind =
  | 'ATTESTATION'
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
  | 'SELF_REFERRAL'
  | 'SHARE'
  | 'SURPLUS'
  | 'UNKNOWN_NODE'
  | 'UNKNOWN_SALE'
  | 'VEST'
  | 'REFUND_TOTAL';

/** The effects of one event. */
export interface Applied {
  /** The event's number among the campaign's events, from 1: its name inside the ledger. */
  readonly seq: number;
  readonly fact: Fact;
  /** The campaign after it. */
  readonly snapshot: CampaignSnapshot;
  readonly entries: readonly RewardEntry[];
  readonly missed: readonly MissedReward[];
  readonly discrepancies: readonly Discrepancy[];
  /** The sale whose state or refunded total it changed, after the change. */
  readonly sale: Sale | null;
  /** The credit that it changed, after the change. */
  readonly credit: AccountCredit | null;
  /** The attester whose day it counts against, after the sale. */
  readonly attester: AttesterDay | null;
}
