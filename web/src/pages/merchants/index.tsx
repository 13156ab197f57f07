import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, usePages } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Picture } from '../../components/picture.tsx';
import { Time } from '../../components/time.tsx';
import styles from '../../components/values.module.css';
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx';
import { oneOf, useFilters } from '../../filters/use-filters.ts';
import { groupDigits } from '../../format.ts';

const PAGE = 25;
const count = (value: number): string => groupDigits(String(value));

const liveOptions = [
  ['', 'All'],
  ['true', 'Sells now'],
  ['false', 'Sells nothing now'],
] as const;

/** Merchants with a profile, by name. */
export function MerchantsPage() {
  const filters = useFilters();
  const q = filters.get('q')?.slice(0, 200);
  const wanted = oneOf(filters.get('live'), ['true', 'false']);
  const live = wanted === undefined ? undefined : wanted === 'true';
  const pages = usePages(['merchants.list'], api.merchants.list, { q, live, limit: PAGE });
  return (
    <>
      <PageHead title="Merchants">
        <p>
          Merchants with a profile here. One without a profile is found by its address, and in the{' '}
          <Link href={pathOf('campaigns')}>list of campaigns</Link>.
        </p>
      </PageHead>
      <Cards>
        <Card title="All merchants" aside={<AsOf meta={pages.meta} />}>
          <FilterBar filters={filters}>
            <FilterText filters={filters} name="q" label="Name" />
            <FilterSelect filters={filters} name="live" label="Status" options={liveOptions} />
          </FilterBar>
          <PagedTable
            caption="Merchants, by name"
            pages={pages}
            empty="No merchant matches. Clear a filter, or search for an address."
            rowKey={({ address }) => address}
            columns={[
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
              { name: 'Campaigns', numeric: true, cell: ({ campaigns }) => count(campaigns) },
              {
                name: 'Taking sales',
                numeric: true,
                cell: ({ liveCampaigns }) => count(liveCampaigns),
              },
              { name: 'Sales', numeric: true, cell: ({ sales }) => count(sales) },
              {
                name: 'Completed sales',
                numeric: true,
                cell: ({ settledSales }) => count(settledSales),
              },
              {
                name: 'Here since',
                numeric: true,
                cell: ({ createdAt }) => <Time at={createdAt} />,
              },
            ]}
          />
        </Card>
      </Cards>
    </>
  );
}
