import type { z } from 'zod';
import { type CampaignDraftInput, draftFields } from '../../contract/shapes/draft.ts';

export type Draft = z.infer<typeof CampaignDraftInput>;
type DraftField = (typeof draftFields)[number];

/** What a policy cannot do without; the rest has defaults. */
const policyFields = [
  'commissionBps',
  'maxRewardedAncestors',
  'weightsBps',
  'holdSeconds',
  'expiry',
] as const satisfies readonly (keyof NonNullable<Draft['policy']>)[];

/** What a draft needs before it can be prepared, by field. */
export function missingOf(draft: Draft): DraftField[] {
  const missing = new Set(missingPaths(draft).map((path) => path.split('.')[0]));
  return draftFields.filter((field) => missing.has(field));
}

/** The same with dots between the levels: `policy.holdSeconds`, or `policy` where there is none. */
export function missingPaths(draft: Draft): string[] {
  const { policy } = draft;
  return [
    ...draftFields.filter((field) => draft[field] === undefined),
    ...(policy ? policyFields.filter((field) => policy[field] === undefined) : []).map(
      (field) => `policy.${field}`,
    ),
  ];
}
