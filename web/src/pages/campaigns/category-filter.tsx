import { api, useApi } from '../../api.ts';
import { FilterSelect } from '../../filters/filter-bar.tsx';
import type { Filters } from '../../filters/use-filters.ts';

/** The filter by the category of the product, with the number of campaigns of each. */
export function CategoryFilter({ filters }: { readonly filters: Filters }) {
  const { data } = useApi(['products.categories'], api.products.categories, {});
  const chosen = filters.get('category');
  const known = (data?.data.items ?? []).map(
    ({ category, campaigns }) => [category, `${category} (${campaigns})`] as const,
  );
  const isListed = chosen === undefined || known.some(([category]) => category === chosen);
  const options = [
    ['', 'Any'] as const,
    ...known,
    ...(isListed ? [] : [[chosen, chosen] as const]),
  ];
  return <FilterSelect filters={filters} name="category" label="Category" options={options} />;
}
