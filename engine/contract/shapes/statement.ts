// Statements of an account: what moved its rewards in each period.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Amount, Count, Timestamp } from '../values.ts';
import { Token } from './common.ts';
import { AccountBalances } from './digest.ts';

/** Length of the periods of a statement. */
export const StatementInterval = z
  .enum(['day', 'month'])
  .describe('Calendar days or months in UTC.');

const Movements = z.strictObject({
  earned: Amount.describe('Recorded with sales: into reserved; base units.'),
  refunded: Amount.describe('Released by refunds: from reserved to refunded; base units.'),
  vested: Amount.describe('Finalized: from reserved to claimable; base units.'),
  claimed: Amount.describe('Paid or credited: from claimable to claimed; base units.'),
  reversed: Amount.describe('Reversed after finalization: from claimable to reversed; base units.'),
  missed: Amount.describe('Lost to caps and budgets by sales of the period; in no balance.'),
});

const times = {
  from: Timestamp.describe('Start; it belongs to the period.'),
  to: Timestamp.describe('End; it does not belong to the period.'),
};

const amounts = {
  opening: AccountBalances.describe('Balances before it, base units.'),
  movements: Movements,
  closing: AccountBalances.describe('Balances after it, or as of the block read; base units.'),
};

const StatementPeriod = z.strictObject({ ...times, ...amounts });

const TokenStatement = z.strictObject({
  token: Token,
  ...amounts,
  periods: z
    .array(StatementPeriod)
    .describe('Oldest first. Periods in which nothing moved and nothing was missed are left out.'),
});

/** Rewards of an account, period by period. */
export const EarningsStatement = z.strictObject({
  interval: StatementInterval,
  ...times,
  byToken: z
    .array(TokenStatement)
    .max(10)
    .describe('By address. Amounts of different tokens are never added.'),
});

/** A statement as a file. */
export const StatementFile = z.strictObject({
  fileName: z.string(),
  columns: z.array(
    z.strictObject({
      name: z.string().describe('Heading of the column.'),
      description: z.string().describe('Meaning of its values, with the unit.'),
    }),
  ),
  rows: Count.describe('Without the heading.'),
  csv: z.string().describe('The file: RFC 4180 with a heading line. No cell begins a formula.'),
});

nameSchemas({
  StatementInterval,
  StatementMovements: Movements,
  StatementPeriod,
  TokenStatement,
  EarningsStatement,
  StatementFile,
});
