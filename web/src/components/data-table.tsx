import type { ReactNode } from 'react';
import styles from './data-table.module.css';

/** A column: its name, and what it shows of a row. */
export interface TableColumn<T> {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers are aligned to the right. */
  readonly numeric?: boolean;
}

export interface TableProps<T> {
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
export function DataTable<T>({ caption, columns, rows, rowKey, mark }: TableProps<T>) {
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
