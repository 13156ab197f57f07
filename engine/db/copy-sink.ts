import type { Writable } from 'node:stream';
import type postgres from 'postgres';

/**
 * The stream that takes the lines of a statement `copy … from stdin`. It fails with the server's error, also with one
 * that comes after the last line: postgres.js 3.4.9 reports that to the statement alone, which has resolved with
 * the stream, and the stream would wait for ever.
 */
export async function copySink(
  statement: postgres.PendingQuery<postgres.Row[]>,
): Promise<Writable> {
  const sink = await statement.writable();
  Reflect.set(statement, 'reject', (error: Error) => sink.destroy(error));
  return sink;
}
