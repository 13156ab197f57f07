/** Nothing answered within the time that it was given. */
export class LateError extends Error {
  override readonly name = 'LateError';
}

/**
 * What the work comes to, where it does so within that many milliseconds; it is not stopped, and what
 * it comes to afterwards is nobody's.
 * @throws {LateError} where it does not; and whatever the work throws.
 */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new LateError(`no answer within ${milliseconds} ms`);
    timer = setTimeout(() => reject(error), Math.max(0, milliseconds));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
