/** A row of the live list, and what became of it since the list was first shown. */
export interface RecentRow<T> {
  readonly sale: T;
  readonly change: 'new' | 'gone' | undefined;
}

/** Maximum number of removed rows that stay visible. */
const MAX_REMOVED = 5;

/**
 * The list as it was, brought up to the newest answer: new rows are marked as new, and rows that are
 * missing although older rows are there were removed by a reorg. The first list marks nothing.
 * @param newest the newest sales, newest first.
 */
export function mergeRecent<T>(
  before: readonly RecentRow<T>[],
  newest: readonly T[],
  keyOf: (sale: T) => string,
): readonly RecentRow<T>[] {
  if (before.length === 0) return newest.map((sale) => ({ sale, change: undefined }));
  const known = new Map(before.map((row) => [keyOf(row.sale), row]));
  const rows = newest.map((sale): RecentRow<T> => {
    const row = known.get(keyOf(sale));
    const change = row === undefined || row.change === 'gone' ? 'new' : row.change;
    return { sale, change };
  });
  const present = new Set(newest.map(keyOf));
  return [...removedRows(before, present, keyOf), ...rows];
}

/** Rows that are missing while a later row of the list is still there: none fell off its end. */
function removedRows<T>(
  before: readonly RecentRow<T>[],
  present: ReadonlySet<string>,
  keyOf: (sale: T) => string,
): RecentRow<T>[] {
  const lastPresent = before.findLastIndex(({ sale }) => present.has(keyOf(sale)));
  const removed = before.filter((row, i) => !present.has(keyOf(row.sale)) && i < lastPresent);
  return removed.slice(0, MAX_REMOVED).map(({ sale }) => ({ sale, change: 'gone' }));
}
