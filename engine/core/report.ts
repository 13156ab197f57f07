import { wholeTokens } from './amounts.ts';

/** The kinds of reports (docs/use/analytics.md#reports). */
export const reportKinds = ['sales', 'rewards', 'missed', 'movements', 'payouts'] as const;
/** Kind of a report (docs/use/analytics.md#reports). */
export type ReportKind = (typeof reportKinds)[number];

/** A column of a report; the query of its kind returns a field of that name. */
export interface ReportColumn {
  readonly name: string;
  /** Meaning of its values, with the unit. */
  readonly description: string;
  /** `time`: Unix seconds, written as ISO 8601 in UTC. `amount`: base units of the row's token. */
  readonly type?: 'time' | 'amount';
  /** Words for its values, if they are names for machines. */
  readonly words?: Readonly<Record<string, string>>;
  /** Column with base units that this one has in whole tokens. */
  readonly tokensOf?: string;
  /** Column whose values this one has in words. */
  readonly wordsOf?: ReportColumn;
}

/**
 * Columns with those that people read: after each amount the same in whole tokens, and after each name for machines the
 * same in words.
 */
export function forPeople(columns: readonly ReportColumn[]): readonly ReportColumn[] {
  return columns.flatMap((column) => {
    const { name, type, words } = column;
    if (type === 'amount') {
      const description = `The column ${name} in whole tokens, exact.`;
      return [column, { name: `${name}Tokens`, description, tokensOf: name }];
    }
    if (words === undefined) return [column];
    return [
      column,
      { name: `${name}Text`, description: `The column ${name} in words.`, wordsOf: column },
    ];
  });
}

const saleStates = {
  pending: 'On hold',
  finalized: 'Completed',
  refunded: 'Refunded',
  reversed: 'Reversed',
};
const rewardStates = {
  reserved: 'On hold',
  claimable: 'Can be claimed',
  claimed: 'Paid out',
  refunded: 'Returned by a refund',
  reversed: 'Reversed',
};
const trustModes = {
  NATIVE_ONCHAIN: 'Paid on the chain',
  MERCHANT_ATTESTED: 'Attested by the merchant',
  THIRD_PARTY_VERIFIED: 'Verified by a third party',
};
const missedReasons = {
  SALE_CAP: 'Cap of a single sale',
  LIABILITY_CAP: 'Cap of what the campaign may owe',
  BUDGET: 'Budget of the campaign was used up',
};
const payoutKinds = {
  rewards: 'Rewards of a distributor',
  proceeds: 'Proceeds of the merchant',
  surplus: 'Unused budget of the merchant',
};

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
  { name: 'amount', description: 'Amount that the buyer paid, base units.', type: 'amount' },
  { name: 'refunded', description: 'Amount refunded to the buyer, base units.', type: 'amount' },
  {
    name: 'pool',
    description: 'Reward of the sale before it was split, base units.',
    type: 'amount',
  },
  { name: 'policyVersion', description: 'Version of the policy that applied.' },
  { name: 'trustMode', description: 'Who vouches for the sale.', words: trustModes },
  {
    name: 'state',
    description: 'pending, finalized, refunded or reversed.',
    words: saleStates,
  },
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
  {
    name: 'share',
    description: 'Reward that the sale gave the level, base units.',
    type: 'amount',
  },
  { name: 'held', description: 'Still reserved, base units.', type: 'amount' },
  { name: 'released', description: 'Released by refunds, base units.', type: 'amount' },
  { name: 'vested', description: 'Made claimable by finalization, base units.', type: 'amount' },
  { name: 'reversed', description: 'Reversed, base units.', type: 'amount' },
  {
    name: 'state',
    description: 'reserved, claimable, claimed, refunded or reversed.',
    words: rewardStates,
  },
  { name: 'holdUntil', description: 'When the sale can be finalized.', type: 'time' },
  ...location,
];

const missed: readonly ReportColumn[] = [
  soldAt,
  saleId,
  campaignId,
  ...level,
  ...token,
  {
    name: 'reason',
    description: 'The cap: SALE_CAP, LIABILITY_CAP or BUDGET.',
    words: missedReasons,
  },
  {
    name: 'amount',
    description: 'Amount that the cap cost the level, base units.',
    type: 'amount',
  },
  ...location,
];

const payouts: readonly ReportColumn[] = [
  { name: 'paidAt', description: 'When it was paid.', type: 'time' },
  campaignId,
  {
    name: 'payout',
    description:
      'rewards: claimed by a distributor; proceeds or surplus: withdrawn by the merchant.',
    words: payoutKinds,
  },
  { name: 'account', description: 'Account that was paid.' },
  ...token,
  { name: 'amount', description: 'Paid amount, base units.', type: 'amount' },
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
  { name: 'amount', description: 'How much moved, base units.', type: 'amount' },
  ...location,
];

/** Columns of each kind of report, in the order of the file. */
export const reportColumns: Readonly<Record<ReportKind, readonly ReportColumn[]>> = {
  sales: forPeople(sales),
  rewards: forPeople(rewards),
  missed: forPeople(missed),
  movements: forPeople(movements),
  payouts: forPeople(payouts),
};

/** True if a report of this kind names buyers: exporting it needs a fresh signature. */
export function namesBuyers(kind: ReportKind): boolean {
  return kind === 'sales' || kind === 'movements';
}

/**
 * The cells of a row of a report, in the order of its columns.
 * @param row its fields by name, with `tokenDecimals` if a column has whole tokens.
 * @throws {Error} if the row lacks a column.
 */
export function reportCells(
  columns: readonly ReportColumn[],
  row: Readonly<Record<string, unknown>>,
): ReportCell[] {
  return columns.map((column) => cellOf(column, row));
}

function cellOf(
  { name, type, tokensOf, wordsOf }: ReportColumn,
  row: Readonly<Record<string, unknown>>,
): ReportCell {
  const field = tokensOf ?? wordsOf?.name ?? name;
  const value = row[field];
  if (value === undefined) throw new Error(`The query of the report returns no ${field}.`);
  if (value === null) return null;
  if (tokensOf !== undefined) return wholeTokens(String(value), Number(row.tokenDecimals));
  const text = String(value);
  if (wordsOf !== undefined) return wordsOf.words?.[text] ?? text;
  return type === 'time' ? new Date(Number(value) * 1_000).toISOString() : text;
}
