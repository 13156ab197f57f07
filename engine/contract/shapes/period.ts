/** Stretches of time, and the query fields that choose one. */
import { z } from 'zod';
import { CampaignId, Timestamp } from '../values.ts';

/** From one moment to another: the first belongs to it, the second does not. */
export const Period = z
  .strictObject({
    from: Timestamp.describe('The first moment that belongs to it.'),
    to: Timestamp.describe('The first moment after it.'),
  })
  .refine(({ from, to }) => Date.parse(from) <= Date.parse(to), {
    path: ['to'],
    message: 'must not be before from',
  });

/** `range` and `campaignIds`, as all figures of a stretch of time take them. */
export const rangeQuery = {
  range: Period.describe('Both moments; without it the last 30 days.').optional(),
  campaignIds: z
    .array(CampaignId)
    .max(100)
    .describe('Only these campaigns, 100 at most; without it all.')
    .optional(),
};
