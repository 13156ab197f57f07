import { api, usePages } from '../../api.ts';
import { distributorColumns } from '../../components/distributor-columns.tsx';
import { ListPage } from '../../components/list.tsx';
import { FilterBar, FilterSelect } from '../../filters/filter-bar.tsx';
import { useFilters } from '../../filters/use-filters.ts';
import { CategoryFilter } from '../campaigns/category-filter.tsx';

const slots = [
  ['', 'All'],
  ['ranked', 'Ranked'],
  ['new', 'New'],
] as const;

/** Everyone who shares links, the best record first. */
export function DistributorsPage() {
  const filters = useFilters('slot', 'category');
  const pages = usePages(['distributors.list'], api.distributors.list, {
    slot: filters.chosen('slot', slots),
    category: filters.get('category'),
    limit: 25,
  });
  return (
    <ListPage
      name="Distributors"
      intro="Accounts that share links, by their record: completed sales, different merchants, the share that was not refunded, and how recent they are. Those with fewer than 3 completed sales are new, and come last."
      title="All distributors"
      caption="Distributors, the best record first"
      pages={pages}
      empty="No distributor matches. Clear a filter."
      rowKey={({ address }) => address}
      columns={distributorColumns}
    >
      <FilterBar filters={filters}>
        <FilterSelect filters={filters} name="slot" label="Record" options={slots} />
        <CategoryFilter filters={filters} />
      </FilterBar>
    </ListPage>
  );
}
