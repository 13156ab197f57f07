// Columns that many tables have, by where a row has their values: `column.amount('Paid', 'rewards.claimed')`.
import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { count as grouped, type Unit } from '../format.ts';
import type { TableColumn } from './data-table.tsx';
import { Time } from './time.tsx';

/** A row that has a value at a path, such as `rewards.claimed`. */
type RowWith<P extends string, V> = P extends `${infer Key}.${infer Rest}`
  ? { readonly [K in Key]: RowWith<Rest, V> }
  : { readonly [K in P]: V };

type BaseUnits = bigint | string;

/** Amounts in the token of their row. */
export function amount<P extends string>(
  name: string,
  path: P,
): TableColumn<RowWith<P, BaseUnits> & { readonly token: Unit }> {
  const at = readerOf<BaseUnits>(path);
  return { name, money: (row) => ({ value: at(row), token: row.token }) };
}

/** Amounts that all are in one token; none is shown as long as it is not known. */
export function amountIn<P extends string>(
  token: Unit | null | undefined,
  name: string,
  path: P,
): TableColumn<RowWith<P, BaseUnits>> {
  const at = readerOf<BaseUnits>(path);
  return { name, money: (row) => token && { value: at(row), token } };
}

/** Numbers with grouped digits. */
export function count<P extends string>(name: string, path: P): TableColumn<RowWith<P, number>> {
  const at = readerOf<number>(path);
  return { name, numeric: true, cell: (row) => grouped(at(row)) };
}

/** Moments, aligned as numbers are. */
export function time<P extends string>(name: string, path: P): TableColumn<RowWith<P, string>> {
  const at = readerOf<string>(path);
  return { name, numeric: true, cell: (row) => <Time at={at(row)} /> };
}

/** Links to the pages of campaigns, by their titles. */
export const campaign: TableColumn<{
  readonly campaignId: string;
  readonly campaignTitle: string;
}> = {
  name: 'Campaign',
  cell: ({ campaignId, campaignTitle }) => (
    <Link href={pathOf('campaign', { campaignId })}>{campaignTitle}</Link>
  ),
};

/** Links to the receipts of sales, with the titles of their campaigns. */
export const sale: TableColumn<{
  readonly chainId: number;
  readonly saleId: string;
  readonly campaignTitle: string;
}> = {
  name: 'Sale',
  cell: (row) => (
    <Link href={pathOf('receipt', row)}>
      {row.saleId} · {row.campaignTitle}
    </Link>
  ),
};

/** Reads the value at a path. `RowWith` has checked that a row has one there, of that type. */
function readerOf<V>(path: string): (row: object) => V {
  const keys = path.split('.');
  return (row) => keys.reduce<unknown>((value, key) => Reflect.get(Object(value), key), row) as V;
}
