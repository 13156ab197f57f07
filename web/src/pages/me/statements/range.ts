const DAY_MS = 86_400_000;

/**
 * The range of time from one date to another, both included, in UTC; `undefined` unless both are dates.
 *
 * @example
 * rangeOf('2026-01-01', '2026-01-31') // { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
 */
export function rangeOf(from: string, to: string): { from: string; to: string } | undefined {
  const [start, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
  if (Number.isNaN(start) || Number.isNaN(last)) return undefined;
  return { from: new Date(start).toISOString(), to: new Date(last + DAY_MS).toISOString() };
}

/** The range of the last days up to the end of today, in UTC. */
export function lastDays(days: number, now: number): { from: string; to: string } {
  const end = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS;
  return { from: new Date(end - days * DAY_MS).toISOString(), to: new Date(end).toISOString() };
}
