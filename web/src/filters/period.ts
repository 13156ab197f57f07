/** Days beyond which no period reaches, for the side that a person leaves open. */
const EARLIEST = '2015-01-01';
const LATEST = '2100-01-01';

/**
 * Period of two days in UTC, both included; `undefined` if both are empty.
 *
 * @example
 * periodOf('2026-01-31', '') // { from: '2026-01-31T00:00:00.000Z', to: '2100-01-02T00:00:00.000Z' }
 */
export function periodOf(from: string, to: string): { from: string; to: string } | undefined {
  if (from === '' && to === '') return undefined;
  return { from: startOf(from || EARLIEST), to: startOf(to || LATEST, 1) };
}

/** Start of a day in UTC, or of one some days later. A day that does not exist stays as it is: the API refuses it. */
function startOf(day: string, plusDays = 0): string {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return day;
  at.setUTCDate(at.getUTCDate() + plusDays);
  return at.toISOString();
}
