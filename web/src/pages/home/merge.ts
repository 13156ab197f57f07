/** A row of the live list, and what became of it since the list was first shown. */
export interface RecentRow<T> {
  readonly sale: T;
  readonly change: 'new' | 'gone' | undefined;
}

/** Rows taken back that are kept in sight, at most. */
const GONE_MOST = 5;

/**
 * The list as it was, brought up to the newest answer: what came is marked as new, and what is
 * missing although older rows are there was taken back. The first list marks nothing.
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
  const here = new Set(newest.map(keyOf));
  return [...goneRows(before, here, keyOf), ...rows];
}

/** Rows that are missing while a later row of the list is still there: none fell off its end. */
function goneRows<T>(
  before: readonly RecentRow<T>[],
  here: ReadonlySet<string>,
  keyOf: (sale: T) => string,
): RecentRow<T>[] {
  const lastHere = before.findLastIndex(({ sale }) => here.has(keyOf(sale)));
  const gone = before.filter((row, i) => !here.has(keyOf(row.sale)) && i < lastHere);
  return gone.slice(0, GONE_MOST).map(({ sale }) => ({ sale, change: 'gone' }));
}
