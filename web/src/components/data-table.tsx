import type { ReactNode } from 'react';
import type { Unit } from '../format.ts';
import { Amount, UnitIsNamed, UnitName } from './amount.tsx';
import styles from './data-table.module.css';
import { SortableHeading } from './sortable-heading.tsx';
import type { Sorting, SortOrders } from './sorting.ts';

/** An amount in its token, base units. */
export interface Money {
  readonly value: bigint | string;
  readonly token: Unit;
}

interface NamedColumn {
  readonly name: string;
  /** Numbers are aligned to the right. */
  readonly numeric?: boolean;
  /** Orders of the list by this column, for a table with `sorting`. */
  readonly sort?: SortOrders;
}

/** A column with anything. */
interface CellColumn<T> extends NamedColumn {
  readonly cell: (row: T) => ReactNode;
  readonly money?: never;
}

/** A column of amounts. If all are in one token, the header names it once. */
interface MoneyColumn<T> extends NamedColumn {
  readonly money: (row: T) => Money | null | undefined;
  readonly cell?: never;
}

/** A column: its name, and what it shows of a row. */
export type TableColumn<T> = CellColumn<T> | MoneyColumn<T>;

export interface TableProps<T> {
  /** Caption of the table; read out, and shown with `showCaption`. */
  readonly caption: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Headings of columns with a `sort` change the order. */
  readonly sorting?: Sorting | undefined;
  /** At the end of a row: the menu of what can be done with it. */
  readonly menu?: (row: T) => ReactNode;
  /** Mark of a row: `{ tone, label }` puts the label into its first cell. */
  readonly mark?: (row: T) => { readonly tone: 'new' | 'gone'; readonly label: string } | undefined;
}

/**
 * Rows under named columns. The first column names its row. On a narrow screen each row is a card
 * of its own, with each cell under its column's name.
 */
export function DataTable<T>(props: TableProps<T>) {
  const { caption, columns, rows, rowKey, mark, menu, sorting } = props;
  const units = columns.map((column) => unitOf(column, rows));
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column, i) => {
            const { name, sort } = column;
            const heading = <ColumnName key={name} column={column} unit={units[i]} />;
            return sorting && sort ? (
              <SortableHeading
                key={name}
                {...{ heading, sort, sorting }}
                isNumeric={isNumeric(column)}
              />
            ) : (
              <th key={name} scope="col" className={classOf(column)}>
                {heading}
              </th>
            );
          })}
          {menu && (
            <th scope="col" className={styles.menu}>
              <span className="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const marked = mark?.(row);
          return (
            <tr key={rowKey(row)} className={marked && styles[marked.tone]}>
              {columns.map((column, i) => {
                const { name } = column;
                const className = classOf(column);
                const content = (
                  <>
                    <span className={styles.name} aria-hidden="true">
                      <ColumnName column={column} unit={units[i]} />
                    </span>
                    <span className={styles.value}>
                      <Cell column={column} row={row} unit={units[i]} />
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
              {menu && <td className={styles.menu}>{menu(row)}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function isNumeric(column: NamedColumn | MoneyColumn<never>): boolean {
  return column.numeric === true || 'money' in column;
}

function classOf(column: NamedColumn | MoneyColumn<never>): string | undefined {
  return isNumeric(column) ? styles.numeric : undefined;
}

/** The token of all amounts of a column; `undefined` if there are several, or none. */
function unitOf<T>({ money }: TableColumn<T>, rows: readonly T[]): Unit | undefined {
  if (money === undefined) return undefined;
  const tokens = rows.flatMap((row) => money(row)?.token ?? []);
  const [first] = tokens;
  const isOne = tokens.every(
    ({ symbol, decimals }) => symbol === first?.symbol && decimals === first.decimals,
  );
  return isOne ? first : undefined;
}

interface ColumnNameProps<T> {
  readonly column: TableColumn<T>;
  /** Unit of all its amounts. */
  readonly unit: Unit | undefined;
}

function ColumnName<T>({ column: { name }, unit }: ColumnNameProps<T>) {
  if (unit === undefined) return name;
  return (
    <>
      {name} <UnitName token={unit} />
    </>
  );
}

function Cell<T>({ column, row, unit }: ColumnNameProps<T> & { readonly row: T }) {
  if (column.money === undefined) return column.cell(row);
  const amount = column.money(row);
  if (amount === null || amount === undefined) return null;
  return (
    <UnitIsNamed value={unit !== undefined}>
      <Amount {...amount} />
    </UnitIsNamed>
  );
}
