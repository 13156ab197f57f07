import type { ReactNode } from 'react';
import type { Pages } from '../api.ts';
import { Button } from './button.tsx';
import styles from './data-table.module.css';
import { Empty } from './empty.tsx';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';

/** A column: its name, and what it shows of a row. */
export interface TableColumn<T> {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly numeric?: boolean;
}

interface DataTableProps<T> {
  /** Caption of the table; read out, and shown with `showCaption`. */
  readonly caption: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Mark of a row: `{ tone, label }` puts the label into its first cell. */
  readonly mark?: (row: T) => { readonly tone: 'new' | 'gone'; readonly label: string } | undefined;
}

/**
 * Rows under named columns. The first column names its row. On a narrow screen each row is a card
 * of its own, with each cell under its column's name.
 */
export function DataTable<T>({ caption, columns, rows, rowKey, mark }: DataTableProps<T>) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, numeric }) => (
            <th key={name} scope="col" className={numeric ? styles.numeric : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const marked = mark?.(row);
          return (
            <tr key={rowKey(row)} className={marked && styles[marked.tone]}>
              {columns.map(({ name, cell, numeric }, i) => {
                const className = numeric ? styles.numeric : undefined;
                const content = (
                  <>
                    <span className={styles.name} aria-hidden="true">
                      {name}
                    </span>
                    <span className={styles.value}>
                      {cell(row)}
                      {i === 0 && marked && <em className={styles.mark}> {marked.label}</em>}
                    </span>
                  </>
                );
                return i === 0 ? (
                  <th key={name} scope="row" className={className}>
                    {content}
                  </th>
                ) : (
                  <td key={name} className={className}>
                    {content}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface PagedTableProps<T> extends Omit<DataTableProps<T>, 'rows'> {
  readonly pages: Pages<T>;
  /** Text for a table without rows. */
  readonly empty: string;
}

/** A collection as a table, with a button for the next page. */
export function PagedTable<T>({ pages, empty, ...table }: PagedTableProps<T>) {
  const { items, query } = pages;
  const { isPending, error, hasNextPage, isFetchingNextPage } = query;
  if (isPending) return <Loading what={table.caption.toLowerCase()} />;
  if (error !== null && items.length === 0) {
    return <Failure error={error} what={table.caption} onRetry={() => void query.refetch()} />;
  }
  if (items.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      <DataTable {...table} rows={items} />
      {error !== null && <Failure error={error} what="The next page" />}
      {hasNextPage && (
        <p className={styles.more}>
          <Button disabled={isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {isFetchingNextPage ? 'Loading …' : 'Load more'}
          </Button>
        </p>
      )}
    </>
  );
}
