import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { AddressLink } from './address-link.tsx';
import * as column from './columns.tsx';
import type { TableColumn } from './data-table.tsx';
import { Time } from './time.tsx';

type Distributor = DataOf<Client['distributors']['list']>['items'][number];

/** The columns of every list of distributors. */
export const distributorColumns: readonly TableColumn<Distributor>[] = [
  {
    name: 'Distributor',
    cell: ({ address, handle, displayName }) =>
      handle === null ? (
        <AddressLink address={address} to="distributors" />
      ) : (
        <Link href={pathOf('distributor', { address: handle })}>{displayName ?? `@${handle}`}</Link>
      ),
  },
  { name: 'Record', cell: ({ slot }) => (slot === 'new' ? 'new' : 'ranked') },
  column.count('Completed sales', 'settledConversions'),
  column.count('By own links', 'directSales'),
  column.count('By links below', 'networkSales'),
  column.count('Merchants', 'merchantCount'),
  column.count('Links', 'linkCount'),
  {
    name: 'Last completed',
    numeric: true,
    cell: ({ lastSettledAt }) => (lastSettledAt === null ? 'none' : <Time at={lastSettledAt} />),
  },
];
