import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { AddressLink } from './address-link.tsx';
import * as column from './columns.tsx';
import type { TableColumn } from './data-table.tsx';
import { SaleState } from './sale-state.tsx';
import { Sold } from './sold.tsx';

type Summary = DataOf<Client['receipts']['recent']>['items'][number];

/** The columns of lists of receipts. */
export const receiptColumn = {
  sale: {
    name: 'Sale',
    cell: (sale) => (
      <>
        <Link href={pathOf('receipt', sale)}>#{sale.saleId}</Link>
        <Sold sale={sale} />
      </>
    ),
  },
  campaign: {
    name: 'Campaign',
    cell: ({ campaignId, product }) => (
      <Link href={pathOf('campaign', { campaignId })}>{product.title}</Link>
    ),
  },
  buyer: { name: 'Buyer', cell: ({ buyer }) => <AddressLink address={buyer} to="buyers" /> },
  price: column.amount('Price', 'amount'),
  state: { name: 'State', cell: ({ state }) => <SaleState value={state} /> },
  recorded: column.time('Recorded', 'recordedAt'),
} satisfies Readonly<Record<string, TableColumn<Summary>>>;

/** All of them. */
export const receiptColumns: readonly TableColumn<Summary>[] = Object.values(receiptColumn);
