/** What is made of each row, by campaign, in their order. */
export function byCampaign<Row extends { readonly campaign_id: string }, T>(
  rows: readonly Row[],
  made: (row: Row) => T,
): ReadonlyMap<string, readonly T[]> {
  return grouped(rows, (row) => row.campaign_id, made);
}

/** What is made of each, by a key, in their order. */
export function grouped<From, T>(
  all: readonly From[],
  keyOf: (one: From) => string,
  made: (one: From) => T,
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const of = found.get(keyOf(one));
    if (of === undefined) found.set(keyOf(one), [made(one)]);
    else of.push(made(one));
  }
  return found;
}
