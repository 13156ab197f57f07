import type { z } from 'zod';
import { type CampaignDraftInput, draftFields } from '../../../contract/shapes/draft.ts';

export type DraftInput = z.infer<typeof CampaignDraftInput>;
type DraftField = (typeof draftFields)[number];

/** Required fields of a policy; the others have defaults. */
const policyFields = [
  'commissionBps',
  'maxRewardedAncestors',
  'weightsBps',
  'holdSeconds',
  'expiry',
] as const satisfies readonly (keyof NonNullable<DraftInput['policy']>)[];

/** Fields that a draft lacks before it can be prepared. */
export function missingOf(draft: DraftInput): DraftField[] {
  const missing = new Set(missingPaths(draft).map((path) => path.split('.')[0]));
  return draftFields.filter((field) => missing.has(field));
}

/** Paths of the missing fields of a draft: `policy.holdSeconds`, or `policy` if it has no policy. */
export function missingPaths(draft: DraftInput): string[] {
  const { policy } = draft;
  return [
    ...draftFields.filter((field) => draft[field] === undefined),
    ...(policy ? policyFields.filter((field) => policy[field] === undefined) : []).map(
      (field) => `policy.${field}`,
    ),
  ];
}
