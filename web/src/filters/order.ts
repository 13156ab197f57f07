import type { Sorting } from '../components/sorting.ts';
import type { FilterOptions, Filters } from './use-filters.ts';

/** Orders of lists of sales; the newest first by default. */
export const saleOrders = [
  ['', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['highest', 'Highest price first'],
  ['lowest', 'Lowest price first'],
] as const;

/**
 * The order of a table that is in the page's address as `order`.
 * @param initial the order of an empty option, as the API names it.
 */
export function sortingOf<V extends string>(
  filters: Filters<'order'>,
  options: FilterOptions<V>,
  initial: string,
): Sorting {
  return {
    order: filters.chosen('order', options) ?? initial,
    onOrder: (order) => filters.set('order', order === initial ? '' : order),
  };
}
