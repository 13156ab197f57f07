import type { Client } from '../../../engine/client/index.ts';
import { wholeTokens } from '../../../engine/core/amounts.ts';
import type { DataOf } from '../api.ts';
import type { CsvColumn } from '../save-csv.ts';

type Sale = DataOf<Client['receipts']['recent']>['items'][number];

/** States of a sale, in words. */
const saleStates = {
  pending: 'On hold',
  finalized: 'Completed',
  refunded: 'Refunded',
  reversed: 'Reversed',
} as const satisfies Record<Sale['state'], string>;

/** The options of a filter by state. */
export const stateOptions = [['', 'Any'], ...Object.entries(saleStates)] as readonly (readonly [
  '' | Sale['state'],
  string,
])[];

/** Columns of a file of sales: each amount in whole tokens, and in base units. */
export const saleCsv: readonly CsvColumn<Sale>[] = [
  { name: 'Sale', cell: ({ saleId }) => saleId },
  { name: 'Recorded (UTC)', cell: ({ recordedAt }) => recordedAt },
  { name: 'State', cell: ({ state }) => saleStates[state] },
  { name: 'Product', cell: ({ product }) => product.title },
  { name: 'Variant', cell: ({ variant }) => variant?.name },
  { name: 'Merchant', cell: ({ merchant }) => merchant.name },
  { name: 'Campaign', cell: ({ campaignId }) => campaignId },
  { name: 'Token', cell: ({ token }) => token.symbol },
  ...amountColumns<Sale>('Price', ({ amount }) => amount),
  ...amountColumns<Sale>('Refunded', ({ refundedTotal }) => refundedTotal),
  { name: 'Buyer', cell: ({ buyer }) => buyer },
  { name: 'Link', cell: ({ nodeId }) => nodeId },
  { name: 'Transaction', cell: ({ tx }) => tx.hash },
];

/** Two columns of an amount in the token of its row: whole tokens, and base units. */
export function amountColumns<T extends { readonly token: { readonly decimals: number } }>(
  name: string,
  at: (row: T) => string,
): readonly CsvColumn<T>[] {
  return [
    { name, cell: (row) => wholeTokens(at(row), row.token.decimals) },
    { name: `${name}, base units`, cell: at },
  ];
}
