import { api, usePages } from '../../api.ts';
import { Card, Cards } from '../../components/card.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { distributorColumns } from '../../components/distributor-columns.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { FilterBar, FilterSelect } from '../../filters/filter-bar.tsx';
import { oneOf, useFilters } from '../../filters/use-filters.ts';
import { CategoryFilter } from '../campaigns/category-filter.tsx';

const PAGE = 25;

const slots = [
  ['', 'All'],
  ['ranked', 'Ranked'],
  ['new', 'New'],
] as const;

/** Everyone who shares links, the best record first. */
export function DistributorsPage() {
  const filters = useFilters();
  const slot = oneOf(filters.get('slot'), ['ranked', 'new']);
  const category = filters.get('category')?.slice(0, 200);
  const pages = usePages(['distributors.list'], api.distributors.list, {
    slot,
    category,
    limit: PAGE,
  });
  return (
    <>
      <PageHead title="Distributors">
        <p>
          Accounts that share links, by their record: completed sales, different merchants, the
          share that was not refunded, and how recent they are. Those with fewer than 3 completed
          sales are new, and come last.
        </p>
      </PageHead>
      <Cards>
        <Card title="All distributors" aside={<AsOf meta={pages.meta} />}>
          <FilterBar filters={filters}>
            <FilterSelect filters={filters} name="slot" label="Record" options={slots} />
            <CategoryFilter filters={filters} />
          </FilterBar>
          <PagedTable
            caption="Distributors, the best record first"
            pages={pages}
            empty="No distributor matches. Clear a filter."
            rowKey={({ address }) => address}
            columns={distributorColumns}
          />
        </Card>
      </Cards>
    </>
  );
}
