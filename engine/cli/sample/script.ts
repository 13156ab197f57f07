import type { TrustMode } from '../../core/events.ts';
import type { ShortPathMode } from '../../core/split.ts';
import type { TokenKey } from './tokens.ts';

/** A reward policy as a merchant would say it; a cap left out is none. */
export interface PolicyScript {
  readonly commissionBps: number;
  /** Level 1 first; as many as are rewarded; 10000 together. */
  readonly weightsBps: readonly number[];
  readonly shortPathMode: ShortPathMode;
  /** Whole tokens. */
  readonly perSaleCap?: string;
  /** Whole tokens. */
  readonly campaignLiabilityCap?: string;
  readonly holdDays: number;
  readonly regions?: readonly string[];
  readonly sharingRules?: readonly string[];
}

/** Something that a merchant does on a day; one that cannot happen yet waits until it can. */
export type Turn = { readonly day: number } & (
  | { readonly do: 'price'; readonly variant: string | null; readonly price: string }
  | { readonly do: 'schedulePolicy'; readonly effectiveDay: number; readonly policy: PolicyScript }
  | { readonly do: 'raiseCapacity'; readonly nodes: number; readonly sales: number }
  | { readonly do: 'fund'; readonly amount: string }
  | { readonly do: 'pause' | 'resume' | 'end' | 'withdrawSurplus' }
  /** Reverses a finalized sale; `afterClaim` lets its level 1 claim before. */
  | { readonly do: 'reverse'; readonly afterClaim: boolean }
);

/** A campaign's story. Days count from 0, with fractions; amounts are whole tokens. */
export interface CampaignScript {
  /** Unique, readable; part of the SKU. */
  readonly key: string;
  /** Slug of its merchant. */
  readonly merchant: string;
  readonly token: TokenKey;
  readonly trustMode: TrustMode;
  readonly inviteOnly?: boolean;
  readonly price: string;
  readonly policy: PolicyScript;
  readonly createdOnDay: number;
  /** Default: long after the sample. */
  readonly endsOnDay?: number;
  /** What the merchant funds it with at its creation; `null` leaves it unfunded. */
  readonly budget: string | null;
  readonly nodes: {
    readonly count: number;
    /** Of the longest path. */
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
  readonly turns: readonly Turn[];
}

/** The readable name that a SKU hash is made of. `variant` null is the campaign's own SKU. */
export function skuOf(
  { merchant, key }: Pick<CampaignScript, 'merchant' | 'key'>,
  variant: string | null = null,
): string {
  return variant === null ? `${merchant}/${key}` : `${merchant}/${key}/${variant}`;
}
