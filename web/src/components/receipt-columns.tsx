import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import type { Answer } from '../api.ts';
import { AddressLink } from './address-link.tsx';
import { Amount } from './amount.tsx';
import type { Column } from './data-table.tsx';
import { SaleState } from './sale-state.tsx';
import { Time } from './time.tsx';

type Summary = Answer<Client['receipts']['recent']>['items'][number];

/** The columns of every list of receipts. */
export const receiptColumns: readonly Column<Summary>[] = [
  {
    name: 'Sale',
    cell: ({ chainId, saleId, product }) => (
      <Link href={`/receipts/${chainId}/${saleId}`}>
        {saleId} · {product.title}
      </Link>
    ),
  },
  {
    name: 'Campaign',
    cell: ({ campaignId }) => <Link href={`/campaigns/${campaignId}`}>{campaignId}</Link>,
  },
  { name: 'Buyer', cell: ({ buyer }) => <AddressLink address={buyer} /> },
  {
    name: 'Price',
    figures: true,
    cell: ({ amount, token }) => <Amount value={amount} token={token} />,
  },
  {
    name: 'Reward',
    figures: true,
    cell: ({ pool, token }) => <Amount value={pool} token={token} />,
  },
  { name: 'State', cell: ({ state }) => <SaleState value={state} /> },
  { name: 'Recorded', figures: true, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
];
