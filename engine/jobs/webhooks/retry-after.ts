/**
 * Reads the header `Retry-After` of a response (RFC 9110): seconds, or a date of HTTP.
 * @param now milliseconds since 1970.
 * @returns seconds from now, 0 for a date that is past; `null` without a valid header.
 */
export function retryAfterSeconds(
  header: string | readonly string[] | undefined,
  now: number,
): number | null {
  const value = (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
  if (/^[0-9]{1,10}$/.test(value)) return Number(value);
  const at = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1_000));
}
