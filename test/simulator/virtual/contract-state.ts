import type { CampaignLedger, Policy } from '../../../engine/core/campaign.ts';
import type { Address, EventArgs, Hex, TrustMode } from '../../../engine/core/events.ts';

/** Behaviour of a dishonest token. */
export type TokenHabit =
  | 'honest'
  /** Less arrives than was sent. */
  | 'receiverFee'
  /** Sending takes more from the sender than the amount: the contract refuses that. */
  | 'senderFee'
  /** Refuses to pay accounts on its list. */
  | 'blocklist'
  /** Calls the contract back in the middle of a transfer, which reverts the whole call. */
  | 'reentrant';

export interface VirtualToken {
  readonly address: Address;
  readonly habit: TokenHabit;
  readonly decimals: number;
  readonly symbol: string;
  readonly name: string;
  /** Accounts that a token with a blocklist refuses to pay. */
  readonly blocked: ReadonlySet<Address>;
  /** Base units of the token that the contract holds. */
  balance: bigint;
  /** Base units of the token that the contract owes. */
  obligations: bigint;
}

export interface VirtualNode {
  readonly id: number;
  readonly campaignId: string;
  readonly parent: VirtualNode | null;
  readonly owner: Address;
}

export interface VirtualSale {
  readonly id: number;
  readonly campaign: VirtualCampaign;
  readonly buyer: Address;
  readonly orderKey: Hex;
  readonly amount: bigint;
  readonly shares: readonly bigint[];
  /** The rewarded nodes, the selling one first. */
  readonly path: readonly VirtualNode[];
  readonly holdUntil: number;
  readonly recordedBlock: number;
  status: 'pending' | 'refunded' | 'finalized' | 'reversed';
  refunded: bigint;
  finalizedAt: number;
  /** How often each level's recipient had claimed when the level vested. */
  claimsAtVesting: readonly number[];
}

type Amounts = { -readonly [K in keyof CampaignLedger]: CampaignLedger[K] };

export interface VirtualCampaign {
  readonly id: string;
  readonly merchant: Address;
  readonly hostile: boolean;
  readonly token: VirtualToken;
  readonly trustMode: TrustMode;
  readonly skuHash: Hex;
  /** Names the campaign on every fork: signed calls carry it. */
  readonly termsHash: Hex;
  readonly nodesPerAccount: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly inviteOnly: boolean;
  readonly createdBlock: number;
  readonly policies: Policy[];
  readonly nodes: VirtualNode[];
  readonly sales: VirtualSale[];
  readonly ledger: Amounts;
  readonly claimable: Map<Address, bigint>;
  readonly claims: Map<Address, number>;
  readonly allowed: Map<Address, boolean>;
  /** Nodes of each account. */
  readonly nodesOf: Map<Address, number>;
  /** Refused payments that were not withdrawn yet, base units. */
  readonly credits: Map<Address, bigint>;
  readonly attesters: Map<Address, VirtualAttester>;
  /** Sales by buyer and order key. */
  readonly orders: Map<string, number>;
  price: bigint;
  nodeCapacity: number;
  saleCapacity: number;
  funded: boolean;
  paused: boolean;
  ended: boolean;
}

/** The terms of a policy, before the contract gives it a version. */
export type PolicyTerms = Omit<
  Policy,
  'version' | 'effectiveAt' | 'rewardToken' | 'eligibilityHash' | 'policyHash'
>;

/** Terms with which a merchant creates a campaign. */
export interface CampaignTerms {
  readonly merchant: Address;
  readonly hostile: boolean;
  readonly token: VirtualToken;
  readonly trustMode: TrustMode;
  readonly price: bigint;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly nodeCapacity: number;
  readonly saleCapacity: number;
  readonly inviteOnly: boolean;
  /** How many nodes one account may have. */
  readonly nodesPerAccount: number;
  /** Makes the salt, and the hashes of SKU and metadata. */
  readonly name: string;
  readonly policy: PolicyTerms;
}

/** What a merchant lets an attester attest; `expiry` 0 withdraws the permission. */
export type AttesterLimits = Omit<EventArgs<'AttesterAllowed'>, 'account'>;

/** An attester's limits, and what it attested on a day (unix days), base units. */
export interface VirtualAttester extends AttesterLimits {
  readonly day: number;
  readonly attested: bigint;
}

/** Withdraws an attester's permission. */
export const NO_ATTESTER: AttesterLimits = { perOrder: 0n, daily: 0n, expiry: 0 };

/** A campaign as signed calls name it. */
export type CampaignRef = Pick<VirtualCampaign, 'id' | 'termsHash'>;
