import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { groupDigits } from '../format.ts';
import { AddressLink } from './address-link.tsx';
import type { TableColumn } from './data-table.tsx';
import { Time } from './time.tsx';

type Distributor = DataOf<Client['distributors']['list']>['items'][number];

const count = (value: number): string => groupDigits(String(value));

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
  {
    name: 'Completed sales',
    numeric: true,
    cell: ({ settledConversions }) => count(settledConversions),
  },
  { name: 'By own links', numeric: true, cell: ({ directSales }) => count(directSales) },
  { name: 'By links below', numeric: true, cell: ({ networkSales }) => count(networkSales) },
  { name: 'Merchants', numeric: true, cell: ({ merchantCount }) => count(merchantCount) },
  { name: 'Links', numeric: true, cell: ({ linkCount }) => count(linkCount) },
  {
    name: 'Last completed',
    numeric: true,
    cell: ({ lastSettledAt }) => (lastSettledAt === null ? 'none' : <Time at={lastSettledAt} />),
  },
];
