/** Milliseconds that the chain may take to answer all that one request asks of it at a time. */
export const CHAIN_ANSWER_MS = 5_000;

/** Thrown when a task does not finish within its time limit. */
class TimeoutError extends Error {
  override readonly name = 'LateError';
}

/**
 * Result of the work if it finishes in time. Work that is late is not cancelled; its result is ignored.
 * @throws {TimeoutError} if it is late; and whatever the work throws.
 */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new TimeoutError(`no answer within ${milliseconds} ms`);
    timer = setTimeout(() => reject(error), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
