import { z } from 'zod';
import { get, resource } from '../define.ts';
import { Period } from '../shapes/period.ts';
import { EarningsStatement, StatementFile, StatementInterval } from '../shapes/statement.ts';
import { Address, AtBlock, CampaignId } from '../values.ts';

const query = z.strictObject({
  interval: StatementInterval.describe(
    'Length of a period: calendar days, or months (default), in UTC.',
  ).optional(),
  range: Period.describe(
    'Widened to whole periods: 366 days or 60 months at most; default the last 30 days or 12 months.',
  ).optional(),
  campaignId: CampaignId.describe('Only this campaign.').optional(),
  token: Address.describe('Only this token; needed by an account with more than 10.').optional(),
  atBlock: AtBlock.optional(),
});

/** Methods for statements of the signed-in distributor. */
export const statements = resource('statements', {
  about: 'Rewards of a distributor by day or month, for its books.',
  caller: 'account',
  documentedName: null,
})({
  earnings: get('/v1/me/statements', {
    serving: { long: true, replica: true },
    summary:
      'Rewards of the caller by day or month: opening balances, what moved them, closing balances.',
    input: { query },
    output: EarningsStatement,
  }),
  csv: get('/v1/me/statements/csv', {
    serving: { long: true, replica: true },
    summary: 'The same statement as the text of a CSV file, a row for each token and period.',
    input: {
      query: query.extend({
        rows: z
          .enum(['periods', 'lines'])
          .describe(
            'lines: a row for each movement, with its sale and transaction; 10,000 at most. Default periods.',
          )
          .optional(),
      }),
    },
    output: StatementFile,
  }),
});
