import type { z } from 'zod';
import type { PolicyTemplate } from '../../../contract/shapes/policy-input.ts';
import type { OwnTemplate } from '../../../db/commerce/policy-templates.ts';

type Template = z.infer<typeof PolicyTemplate>;

const DAY_SECONDS = 86_400;

/** Common fields of built-in templates. */
const builtIn = { builtIn: true, updatedAt: null } as const;

/**
 * Built-in policy templates, the simplest first. They have no caps, because caps depend on the token, and exclude
 * self-referral, because it costs the merchant and gains no buyer.
 */
export const builtInTemplates: readonly Template[] = [
  {
    ...builtIn,
    id: 'single-level',
    name: 'Single level: the seller takes it all',
    policy: {
      commissionBps: 1_000,
      maxRewardedAncestors: 1,
      weightsBps: [10_000],
      shortPathMode: 'RENORMALIZE_EXISTING',
      holdSeconds: 14 * DAY_SECONDS,
      excludesSelfReferral: true,
      regions: [],
      sharingRules: [],
    },
  },
  {
    ...builtIn,
    id: 'three-levels',
    name: 'Three levels: mostly to the seller',
    policy: {
      commissionBps: 1_500,
      maxRewardedAncestors: 3,
      weightsBps: [6_000, 2_500, 1_500],
      shortPathMode: 'RENORMALIZE_EXISTING',
      holdSeconds: 14 * DAY_SECONDS,
      excludesSelfReferral: true,
      regions: [],
      sharingRules: [],
    },
  },
  {
    ...builtIn,
    id: 'deep-network',
    name: 'Five levels: for a network that grows',
    policy: {
      commissionBps: 2_000,
      maxRewardedAncestors: 5,
      weightsBps: [4_000, 2_500, 1_500, 1_000, 1_000],
      shortPathMode: 'RENORMALIZE_EXISTING',
      holdSeconds: 30 * DAY_SECONDS,
      excludesSelfReferral: true,
      regions: [],
      sharingRules: [],
    },
  },
  {
    ...builtIn,
    id: 'careful-budget',
    name: 'Careful budget: unused levels return to the vault',
    policy: {
      commissionBps: 800,
      maxRewardedAncestors: 3,
      weightsBps: [5_000, 3_000, 2_000],
      shortPathMode: 'RETURN_UNUSED',
      holdSeconds: 30 * DAY_SECONDS,
      excludesSelfReferral: true,
      regions: [],
      sharingRules: [],
    },
  },
];

/** Template that a merchant saved. */
export function ownTemplate({ id, name, policy, updatedAt }: OwnTemplate): Template {
  return { id, name, builtIn: false, policy, updatedAt: updatedAt.toISOString() };
}
