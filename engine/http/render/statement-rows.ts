import type { z } from 'zod';
import type { EarningsStatement } from '../../contract/shapes/statement.ts';
import { forPeople, type ReportCell, type ReportColumn, reportCells } from '../../core/report.ts';
import type { StatementLine } from '../../db/read/statements/lines.ts';

const balances = (when: string, prefix: string): readonly ReportColumn[] => [
  { name: `${prefix}Reserved`, description: `Held ${when}, base units.`, type: 'amount' },
  {
    name: `${prefix}Claimable`,
    description: `Finalized and not claimed ${when}, base units.`,
    type: 'amount',
  },
  { name: `${prefix}Claimed`, description: `Paid out in all ${when}, base units.`, type: 'amount' },
  {
    name: `${prefix}Refunded`,
    description: `Released by refunds in all ${when}, base units.`,
    type: 'amount',
  },
  {
    name: `${prefix}Reversed`,
    description: `Reversed in all ${when}, base units.`,
    type: 'amount',
  },
];

/** Columns of a statement's file, in their order. */
export const statementColumns: readonly ReportColumn[] = forPeople([
  { name: 'from', description: 'Start of the period; it belongs to it.' },
  { name: 'to', description: 'End of the period; it does not belong to it.' },
  { name: 'token', description: 'Address of the token of all amounts of the row.' },
  { name: 'tokenSymbol', description: 'Symbol of that token, as it names itself.' },
  { name: 'tokenDecimals', description: 'Base units of one token, as a power of ten.' },
  ...balances('before the period', 'opening'),
  { name: 'earned', description: 'Recorded with sales, base units.', type: 'amount' },
  { name: 'refunded', description: 'Released by refunds, base units.', type: 'amount' },
  { name: 'vested', description: 'Made claimable by finalization, base units.', type: 'amount' },
  { name: 'claimed', description: 'Paid out, base units.', type: 'amount' },
  { name: 'reversed', description: 'Reversed after finalization, base units.', type: 'amount' },
  {
    name: 'missed',
    description: 'Lost to caps and budgets; in no balance, base units.',
    type: 'amount',
  },
  ...balances('after the period', 'closing'),
]);

/** The rows of a statement's file: one for each token and period. */
export function statementRows({ byToken }: z.infer<typeof EarningsStatement>): ReportCell[][] {
  return byToken.flatMap(({ token, periods }) =>
    periods.map(({ from, to, opening, movements, closing }) =>
      reportCells(statementColumns, {
        ...{ from, to, token: token.address, tokenSymbol: token.symbol },
        tokenDecimals: token.decimals,
        ...withPrefix('opening', opening),
        ...movements,
        ...withPrefix('closing', closing),
      }),
    ),
  );
}

/** Kinds of movements in words. */
const movements = {
  reserve: 'Earned, on hold',
  release: 'Released by a refund',
  vest: 'Became claimable',
  claim: 'Paid out',
  reverse: 'Reversed',
  return: 'Returned to the budget',
};

/** Columns of a statement by line, in their order. */
export const lineColumns: readonly ReportColumn[] = forPeople([
  { name: 'movedAt', description: 'Time of the block.', type: 'time' },
  {
    name: 'kind',
    description: 'reserve, release, vest, claim, reverse or return.',
    words: movements,
  },
  { name: 'saleId', description: 'Sale; empty for a payout of the rewards of many sales.' },
  { name: 'level', description: 'Level of the sale that earned it; 1 is the selling node.' },
  { name: 'campaignId', description: 'Campaign.' },
  { name: 'product', description: 'Title of its product; empty without a profile here.' },
  { name: 'token', description: 'Address of the token.' },
  { name: 'tokenSymbol', description: 'Symbol of that token, as it names itself.' },
  { name: 'tokenDecimals', description: 'Base units of one token, as a power of ten.' },
  { name: 'amount', description: 'How much moved, base units.', type: 'amount' },
  { name: 'blockNumber', description: 'Block of the transaction.' },
  { name: 'transactionHash', description: 'Transaction on the chain.' },
]);

/** The rows of a statement by line. */
export function lineRows(lines: readonly StatementLine[]): ReportCell[][] {
  return lines.map(({ tx, ...line }) =>
    reportCells(lineColumns, {
      ...line,
      movedAt: tx.timestamp,
      blockNumber: tx.blockNumber,
      transactionHash: tx.hash,
    }),
  );
}

/** `{ claimed }` as `{ openingClaimed }`. */
function withPrefix(prefix: string, amounts: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [
      `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`,
      amount,
    ]),
  );
}
