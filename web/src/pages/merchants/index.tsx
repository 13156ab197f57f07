import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, usePages } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import * as column from '../../components/columns.tsx';
import type { TableColumn } from '../../components/data-table.tsx';
import { ListPage } from '../../components/list.tsx';
import { Picture } from '../../components/picture.tsx';
import styles from '../../components/values.module.css';
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx';
import { useFilters } from '../../filters/use-filters.ts';

const liveOptions = [
  ['', 'All'],
  ['true', 'Sells now'],
  ['false', 'Sells nothing now'],
] as const;

const columns: readonly TableColumn<DataOf<typeof api.merchants.list>['items'][number]>[] = [
  {
    name: 'Merchant',
    cell: ({ slug, name, logo }) => (
      <span className={styles.pictured}>
        <Picture media={logo === null ? [] : [logo]} alt="" size="thumb" />
        <Link href={pathOf('merchant', { slug })}>{name}</Link>
      </span>
    ),
  },
  { name: 'Account', cell: ({ address }) => <AddressLink address={address} /> },
  column.count('Campaigns', 'campaigns'),
  column.count('Taking sales', 'liveCampaigns'),
  column.count('Sales', 'sales'),
  column.count('Completed sales', 'settledSales'),
  column.time('Here since', 'createdAt'),
];

/** Merchants with a profile, by name. */
export function MerchantsPage() {
  const filters = useFilters('q', 'live');
  const live = filters.chosen('live', liveOptions);
  const pages = usePages(['merchants.list'], api.merchants.list, {
    q: filters.get('q'),
    live: live && live === 'true',
    limit: 25,
  });
  return (
    <ListPage
      name="Merchants"
      intro={
        <>
          Merchants with a profile here. One without a profile is found by its address, and in the{' '}
          <Link href={pathOf('campaigns')}>list of campaigns</Link>.
        </>
      }
      title="All merchants"
      caption="Merchants, by name"
      pages={pages}
      empty="No merchant matches. Clear a filter, or search for an address."
      rowKey={({ address }) => address}
      columns={columns}
    >
      <FilterBar filters={filters}>
        <FilterText filters={filters} name="q" label="Name" />
        <FilterSelect filters={filters} name="live" label="Status" options={liveOptions} />
      </FilterBar>
    </ListPage>
  );
}
