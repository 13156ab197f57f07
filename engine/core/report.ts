/** The kinds of reports (docs/use/analytics.md#reports). */
export const reportKinds = ['sales', 'rewards', 'missed', 'movements', 'payouts'] as const;
/** Kind of a report (docs/use/analytics.md#reports). */
export type ReportKind = (typeof reportKinds)[number];

/** A column of a report; the query of its kind returns a field of that name. */
export interface ReportColumn {
  readonly name: string;
  /** Meaning of its values, with the unit. */
  readonly description: string;
  /** `time`: Unix seconds, written as ISO 8601 in UTC. */
  readonly type?: 'time';
}

/** A cell of a report: text, or `null` for an empty cell. */
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
const location = [
  { name: 'blockNumber', description: 'Block of the transaction.' },
  { name: 'transactionHash', description: 'Transaction on the chain.' },
];

const sales: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  {
    name: 'product',
    description: 'Title of the product in the version that was sold; empty without a profile here.',
  },
  { name: 'buyer', description: 'Account that bought.' },
  { name: 'nodeId', description: 'Selling node; empty for a sale without a link.' },
  {
    name: 'seller',
    description: 'Account that owns the selling node; empty for a sale without a link.',
  },
  ...token,
  { name: 'amount', description: 'Amount that the buyer paid, base units.' },
  { name: 'refunded', description: 'Amount refunded to the buyer, base units.' },
  { name: 'pool', description: 'Reward of the sale before it was split, base units.' },
  { name: 'policyVersion', description: 'Version of the policy that applied.' },
  { name: 'trustMode', description: 'Who vouches for the sale.' },
  { name: 'state', description: 'pending, finalized, refunded or reversed.' },
  { name: 'holdUntil', description: 'When it can be finalized.', type: 'time' },
  { name: 'finalizedAt', description: 'When it was finalized; empty before.', type: 'time' },
  { name: 'orderKey', description: 'Key of the order, 32 bytes.' },
  { name: 'skuHash', description: 'SKU that was sold, 32 bytes.' },
  { name: 'productVersion', description: 'Version that was sold; empty without a profile here.' },
  { name: 'variantId', description: 'Variant that was sold; empty for the product itself.' },
  { name: 'variant', description: 'Name of that variant.' },
  ...location,
];

const rewards: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  ...level,
  ...token,
  { name: 'share', description: 'Reward that the sale gave the level, base units.' },
  { name: 'held', description: 'Still reserved, base units.' },
  { name: 'released', description: 'Released by refunds, base units.' },
  { name: 'vested', description: 'Made claimable by finalization, base units.' },
  { name: 'reversed', description: 'Reversed, base units.' },
  { name: 'state', description: 'reserved, claimable, claimed, refunded or reversed.' },
  { name: 'holdUntil', description: 'When the sale can be finalized.', type: 'time' },
  ...location,
];

const missed: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  ...level,
  ...token,
  { name: 'reason', description: 'The cap: SALE_CAP, LIABILITY_CAP or BUDGET.' },
  { name: 'amount', description: 'Amount that the cap cost the level, base units.' },
  ...location,
];

const payouts: readonly ReportColumn[] = [
  { name: 'paidAt', description: 'When it was paid.', type: 'time' },
  campaignId,
  {
    name: 'payout',
    description:
      'rewards: claimed by a distributor; proceeds or surplus: withdrawn by the merchant.',
  },
  { name: 'account', description: 'Account that was paid.' },
  ...token,
  { name: 'amount', description: 'Paid amount, base units.' },
  ...location,
];

const movements: readonly ReportColumn[] = [
  { name: 'movedAt', description: 'When it moved.', type: 'time' },
  campaignId,
  { name: 'sequence', description: 'Number of the event among its campaign’s events, from 1.' },
  { name: 'event', description: 'The event that moved it.' },
  { name: 'saleId', description: 'Sale of the movement; empty if there is none.' },
  { name: 'from', description: 'Bucket that it left; empty if it came from outside.' },
  { name: 'to', description: 'Bucket that it entered; empty if it left the ledgers.' },
  {
    name: 'account',
    description: 'Account that paid or received it; empty for a movement inside the vault.',
  },
  ...token,
  { name: 'amount', description: 'How much moved, base units.' },
  ...location,
];

/** Columns of each kind of report, in the order of the file. */
export const reportColumns: Readonly<Record<ReportKind, readonly ReportColumn[]>> = {
  sales,
  rewards,
  missed,
  movements,
  payouts,
};

/** True if a report of this kind names buyers: exporting it needs a fresh signature. */
export function namesBuyers(kind: ReportKind): boolean {
  return kind === 'sales' || kind === 'movements';
}

/**
 * The cells of a row of a report, in the order of its columns.
 * @throws {Error} if the row lacks a column.
 */
export function reportCells(
  columns: readonly ReportColumn[],
  row: Readonly<Record<string, unknown>>,
): ReportCell[] {
  return columns.map(({ name, type }) => {
    const value = row[name];
    if (value === undefined) throw new Error(`The query of the report returns no ${name}.`);
    if (value === null) return null;
    return type === 'time' ? new Date(Number(value) * 1_000).toISOString() : String(value);
  });
}
