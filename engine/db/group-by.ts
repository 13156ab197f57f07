/** Items made from elements, grouped by the key of their element, in the order of the elements. */
export function groupBy<From, T>(
  all: readonly From[],
  keyOf: (one: From) => string,
  make: (one: From) => T,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [make(one)]);
    else group.push(make(one));
  }
  return groups;
}

/** Rows of several campaigns, decoded and grouped by their campaign, in the order of the rows. */
export function groupByCampaign<Row extends object, T>(
  rows: readonly Row[],
  decode: (row: Row) => T,
): ReadonlyMap<string, readonly T[]> {
  return groupBy(rows, (row) => (row as { campaign_id: string }).campaign_id, decode);
}
