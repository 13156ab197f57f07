// Ranges of time, and the query fields that choose one.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { CampaignId, Timestamp } from '../values.ts';

/** A range of time: `from` belongs to it, `to` does not. */
export const Period = z
  .strictObject(
    {
      from: Timestamp.describe('Start; it belongs to the period.'),
      to: Timestamp.describe('End; it does not belong to the period.'),
    },
    {
      error: ({ code }) =>
        code === 'invalid_type'
          ? 'must be JSON with both moments, such as {"from":"2026-01-01T00:00:00Z","to":"2026-02-01T00:00:00Z"}'
          : undefined,
    },
  )
  .refine(({ from, to }) => Date.parse(from) <= Date.parse(to), {
    path: ['to'],
    message: 'must not be before from',
  });

/** Query fields `range` and `campaignIds` of methods that return totals of a period. */
export const rangeQuery = {
  range: Period.describe('Both moments; without it the last 30 days.').optional(),
  campaignIds: z
    .array(CampaignId)
    .max(100)
    .describe('Only these campaigns, 100 at most; without it all.')
    .optional(),
};

nameSchemas({ Period });
