/** Begins the result of an answer that is a string of hex digits. */
const BEGIN = /"result"\s*:\s*"0x/;

/** Characters of an answer before its result, at most; an error is shorter. */
const MAX_HEAD = 10_000;

/**
 * Calls an RPC on this machine whose result is bytes, and yields them as they arrive: the text of a long result would be
 * twice as large, and the C library keeps the memory of it.
 * @throws {Error} if it does not respond, or returns an error or a part of the result.
 */
export async function* requestBytes(
  url: string,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  try {
    yield* bytesOf(response.body ?? []);
  } catch (error) {
    if (!(error instanceof NoBytesError)) throw error;
    throw new Error(`${method}: ${messageIn(error.text)}`);
  }
}

/** An answer has no result of bytes, or not all of it. */
class NoBytesError extends Error {
  override readonly name = 'NoBytesError';

  constructor(readonly text: string) {
    super('the answer has no bytes');
  }
}

async function* bytesOf(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let head = '';
  // Hex digits that are not decoded yet; `undefined` before the first.
  let digits: string | undefined;
  for await (const chunk of body) {
    const text = Buffer.from(chunk).toString('latin1');
    if (digits === undefined) {
      head += text;
      const begin = BEGIN.exec(head);
      if (begin === null && head.length < MAX_HEAD) continue;
      if (begin === null) break;
      digits = head.slice(begin.index + begin[0].length);
    } else digits += text;
    const end = digits.indexOf('"');
    const length = end < 0 ? digits.length - (digits.length % 2) : end;
    yield Buffer.from(digits.slice(0, length), 'hex');
    if (end >= 0) return;
    digits = digits.slice(length);
  }
  throw new NoBytesError(digits === undefined ? head : 'the answer ended too early');
}

function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    return error?.message ?? 'the answer has no result';
  } catch {
    return text.slice(0, 200);
  }
}
