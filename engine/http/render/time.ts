/** Unix seconds as ISO 8601 in UTC. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** Unix seconds as ISO 8601 in UTC; `null` stays `null`. */
export function timeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : isoTime(seconds);
}
