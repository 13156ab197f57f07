/** Which events an endpoint gets, as its form has them. */
export interface EventValues {
  /** Names of events, without a suffix. */
  names: string[];
  /** Suffix of every name: empty, `@safe` or `@finalized`. */
  finality: string;
  ordered: boolean;
}

/** Names and finality as the API takes them: `sale.recorded@finalized`, or `*` for all. */
export function eventsOf(
  { names, finality }: Pick<EventValues, 'names' | 'finality'>,
  types: readonly string[],
): string[] {
  const isAll = types.length > 0 && names.length === types.length;
  return (isAll ? ['*'] : names).map((name) => `${name}${finality}`);
}

/** The form's values for the events of an endpoint. The finality of most names is chosen. */
export function eventValues(events: readonly string[], types: readonly string[]) {
  const parts = events.map((one) => one.split('@'));
  const suffixes = parts.map(([, suffix]) => (suffix === undefined ? '' : `@${suffix}`));
  const names = parts.flatMap(([name = '']) =>
    name.endsWith('*') ? types.filter((type) => type.startsWith(name.slice(0, -1))) : [name],
  );
  return { names: [...new Set(names)], finality: suffixes[0] ?? '' };
}
