import { FilterSelect } from '../filters/filter-bar.tsx';
import type { FilterOptions, Filters } from '../filters/use-filters.ts';
import styles from './sort-select.module.css';

interface SortSelectProps {
  readonly filters: Filters<'order'>;
  readonly options: FilterOptions;
}

/** The order of a list, where its headings are not shown: on narrow screens each row is a card. */
export function SortSelect({ filters, options }: SortSelectProps) {
  return (
    <div className={styles.narrow}>
      <FilterSelect filters={filters} name="order" label="Sort by" options={options} />
    </div>
  );
}
