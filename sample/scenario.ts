import type { TrustMode } from '../engine/core/events.ts';
import type { ShortPathMode } from '../engine/core/split.ts';
import type { TokenKey } from './tokens.ts';

/** Reward policy in whole tokens and days. Without a cap there is no limit. */
export interface PolicyScenario {
  readonly commissionBps: number;
  /** One weight per rewarded level, level 1 first; 10000 in total. */
  readonly weightsBps: readonly number[];
  readonly shortPathMode: ShortPathMode;
  /** Whole tokens. */
  readonly perSaleCap?: string;
  /** Whole tokens. */
  readonly campaignLiabilityCap?: string;
  readonly holdDays: number;
  /** Default false. */
  readonly excludesSelfReferral?: boolean;
  readonly regions?: readonly string[];
  readonly sharingRules?: readonly string[];
}

/** Action of a merchant on a day, or on the first later day on which it is possible. */
export type MerchantAction = { readonly day: number } & (
  | { readonly do: 'price'; readonly variant: string | null; readonly price: string }
  | {
      readonly do: 'schedulePolicy';
      readonly effectiveDay: number;
      readonly policy: PolicyScenario;
    }
  | { readonly do: 'raiseCapacity'; readonly nodes: number; readonly sales: number }
  | { readonly do: 'fund'; readonly amount: string }
  | { readonly do: 'pause' | 'resume' | 'end' | 'withdrawSurplus' }
  /** Reverses a finalized sale; with `afterClaim`, its level 1 claims first. */
  | { readonly do: 'reverse'; readonly afterClaim: boolean }
);

/** History of one campaign. Days count from 0, with fractions; amounts are whole tokens. */
export interface CampaignScenario {
  /** Unique, readable; part of the SKU. */
  readonly key: string;
  /** Slug of its merchant. */
  readonly merchant: string;
  readonly token: TokenKey;
  readonly trustMode: TrustMode;
  readonly inviteOnly?: boolean;
  /** Limits of the attester in whole tokens; a THIRD_PARTY_VERIFIED campaign has them. */
  readonly attester?: { readonly perOrder: string; readonly daily: string };
  readonly price: string;
  readonly policy: PolicyScenario;
  readonly createdOnDay: number;
  /** Default: long after the sample. */
  readonly endsOnDay?: number;
  /** Amount that the merchant funds it with at its creation; `null` leaves it unfunded. */
  readonly budget: string | null;
  readonly nodes: {
    readonly count: number;
    /** Length of the longest path. */
    readonly depth: number;
    readonly untilDay: number;
    readonly capacity: number;
  };
  readonly sales: {
    readonly count: number;
    readonly fromDay: number;
    readonly untilDay: number;
    readonly capacity: number;
  };
  readonly actions: readonly MerchantAction[];
}

/** Readable name that a SKU hash is made of. Without a variant, the campaign's own SKU. */
export function skuOf(
  { merchant, key }: Pick<CampaignScenario, 'merchant' | 'key'>,
  variant: string | null = null,
): string {
  return variant === null ? `${merchant}/${key}` : `${merchant}/${key}/${variant}`;
}
