/**
 * Makes a read that all callers share for some time: however many ask, it runs once in that time.
 * @param lastMs milliseconds that a result is good for, an error included, from when it was there.
 */
export function shareReading<T>(lastMs: number, read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let until = Number.POSITIVE_INFINITY;
  return () => {
    if (current !== undefined && performance.now() < until) return current;
    until = Number.POSITIVE_INFINITY;
    const reading = read().finally(() => {
      until = performance.now() + lastMs;
    });
    current = reading;
    return reading;
  };
}
