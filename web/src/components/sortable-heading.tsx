import type { ReactNode } from 'react';
import tableStyles from './data-table.module.css';
import styles from './sortable-heading.module.css';
import type { Sorting, SortOrders } from './sorting.ts';

interface SortableHeadingProps {
  /** Its name, and the unit of its amounts. */
  readonly heading: ReactNode;
  readonly isNumeric: boolean;
  readonly sort: SortOrders;
  readonly sorting: Sorting;
}

/** Heading of a column that sorts the table: first in the order that is listed first, and then in the other one. */
export function SortableHeading({ heading, isNumeric, sort, sorting }: SortableHeadingProps) {
  const { ascending, descending } = sort;
  const { order, onOrder } = sorting;
  const direction =
    order === ascending ? 'ascending' : order === descending ? 'descending' : undefined;
  const other = direction === 'descending' ? ascending : descending;
  const next = other ?? descending ?? ascending;
  return (
    <th scope="col" aria-sort={direction} className={isNumeric ? tableStyles.numeric : undefined}>
      <button
        type="button"
        className={styles.button}
        onClick={() => next !== undefined && onOrder(next)}
      >
        {heading}
        <span className={styles.arrow} aria-hidden="true">
          {direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : '↕'}
        </span>
      </button>
    </th>
  );
}
