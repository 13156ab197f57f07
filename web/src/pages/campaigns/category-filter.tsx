import { api, useApi } from '../../api.ts';
import { FilterSelect } from '../../filters/filter-bar.tsx';
import type { Filters } from '../../filters/use-filters.ts';

/** The filter by the category of the product, with the number of campaigns of each. */
export function CategoryFilter({ filters }: { readonly filters: Filters<'category'> }) {
  const { data } = useApi(['products.categories'], api.products.categories, {});
  const known = (data?.data.items ?? []).map(
    ({ category, campaigns }) => [category, `${category} (${campaigns})`] as const,
  );
  const options = [['', 'Any'] as const, ...known];
  return <FilterSelect filters={filters} name="category" label="Category" options={options} open />;
}
