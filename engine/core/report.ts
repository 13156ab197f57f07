/** What reports hold: their kinds, the columns of each, and how a value becomes a cell. */

export const reportKinds = ['sales', 'rewards', 'missed', 'movements', 'payouts'] as const;
export type ReportKind = (typeof reportKinds)[number];

/** A column of a report; the query of its kind answers a field of that name. */
export interface ReportColumn {
  readonly name: string;
  /** What it holds, with its unit. */
  readonly description: string;
  /** `time`: unix seconds, told as ISO 8601 in UTC. */
  readonly type?: 'time';
}

/** A cell: text, or `null` where there is nothing to say. */
export type ReportCell = string | null;

const campaignId = { name: 'campaignId', description: 'Campaign.' };
const saleId = { name: 'saleId', description: 'Sale.' };
const soldAt = {
  name: 'soldAt',
  description: 'When the sale was recorded.',
  type: 'time',
} as const;
const token = [
  { name: 'token', description: 'Address of the token of all amounts of the row.' },
  { name: 'tokenSymbol', description: 'Symbol of that token, as it names itself.' },
  { name: 'tokenDecimals', description: 'Base units of one token, as a power of ten.' },
];
const level = [
  { name: 'level', description: 'Level of the path; 1 is the selling node.' },
  { name: 'nodeId', description: 'Node of that level.' },
  { name: 'recipient', description: 'Account that owns the node.' },
];
const place = [
  { name: 'blockNumber', description: 'Block of the transaction.' },
  { name: 'transactionHash', description: 'Transaction on the chain.' },
];

const sales: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  { name: 'product', description: 'Title of the product; empty without a profile here.' },
  { name: 'buyer', description: 'Account that bought.' },
  { name: 'nodeId', description: 'Selling node; empty for a direct sale.' },
  { name: 'seller', description: 'Account that owns the selling node; empty for a direct sale.' },
  ...token,
  { name: 'amount', description: 'What the buyer paid, base units.' },
  { name: 'refunded', description: 'What the buyer got back, base units.' },
  { name: 'pool', description: 'Reward of the sale before it was split, base units.' },
  { name: 'policyVersion', description: 'Version of the policy that applied.' },
  { name: 'trustMode', description: 'Who vouches for the sale.' },
  { name: 'state', description: 'pending, finalized, refunded or reversed.' },
  { name: 'holdUntil', description: 'When it can be finalized.', type: 'time' },
  { name: 'finalizedAt', description: 'When it was finalized; empty before.', type: 'time' },
  { name: 'orderKey', description: 'Key of the order, 32 bytes.' },
  { name: 'skuHash', description: 'SKU that was sold, 32 bytes.' },
  ...place,
];

const rewards: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  ...level,
  ...token,
  { name: 'share', description: 'What the sale gave the level, base units.' },
  { name: 'held', description: 'Still reserved, base units.' },
  { name: 'released', description: 'Given back by refunds, base units.' },
  { name: 'vested', description: 'Made claimable by finalization, base units.' },
  { name: 'reversed', description: 'Taken back by a reversal, base units.' },
  { name: 'state', description: 'reserved, claimable, claimed, refunded or reversed.' },
  { name: 'holdUntil', description: 'When the sale can be finalized.', type: 'time' },
  ...place,
];

const missed: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  ...level,
  ...token,
  { name: 'reason', description: 'The cap: SALE_CAP, LIABILITY_CAP or BUDGET.' },
  { name: 'amount', description: 'What the cap cost the level, base units.' },
  ...place,
];

const payouts: readonly ReportColumn[] = [
  { name: 'paidAt', description: 'When it was paid.', type: 'time' },
  campaignId,
  {
    name: 'payout',
    description: 'rewards: claimed by a distributor; proceeds or surplus: taken by the merchant.',
  },
  { name: 'account', description: 'Account that was paid.' },
  ...token,
  { name: 'amount', description: 'What was paid, base units.' },
  ...place,
];

const movements: readonly ReportColumn[] = [
  { name: 'movedAt', description: 'When it moved.', type: 'time' },
  campaignId,
  { name: 'sequence', description: 'Place of the event among its campaign’s events, from 1.' },
  { name: 'event', description: 'The event that moved it.' },
  { name: 'saleId', description: 'Sale that it is of; empty where it is of none.' },
  { name: 'from', description: 'Amount of the ledgers that it left; empty from outside.' },
  { name: 'to', description: 'Amount of the ledgers that it came to; empty to nobody’s.' },
  { name: 'account', description: 'Who gave or got it; empty between the vault’s own parts.' },
  ...token,
  { name: 'amount', description: 'How much moved, base units.' },
  ...place,
];

/** Columns of each kind, in the order of the file. */
export const reportColumns: Readonly<Record<ReportKind, readonly ReportColumn[]>> = {
  sales,
  rewards,
  missed,
  movements,
  payouts,
};

/** Whether rows of a kind name buyers: exporting those wants a fresh confirmation. */
export function namesBuyers(kind: ReportKind): boolean {
  return kind === 'sales' || kind === 'movements';
}

/** The cells of a row, in the order of its columns. */
export function reportCells(
  columns: readonly ReportColumn[],
  row: Readonly<Record<string, unknown>>,
): ReportCell[] {
  return columns.map(({ name, type }) => {
    const value = row[name];
    if (value === undefined) throw new Error(`The query of the report answers no ${name}.`);
    if (value === null) return null;
    return type === 'time' ? new Date(Number(value) * 1_000).toISOString() : String(value);
  });
}

/**
 * Characters that spreadsheets begin a formula with, wide and small variants included, after whatever
 * may be skipped before one: blanks, invisible characters and control characters of every kind.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Z}\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

/**
 * A cell that no spreadsheet runs: text that would begin a formula gets an apostrophe in front (OWASP,
 * «CSV Injection»). Integers are left alone, so that an amount below zero stays a number.
 */
export function withoutFormula(cell: string): string {
  return FORMULA.test(cell) && !/^-[0-9]+$/.test(cell) ? `'${cell}` : cell;
}
