import { describe, expect, it } from 'vitest';
import { openStream, type StreamOptions, type StreamUpdate } from './stream.ts';

const heads = { settled: {}, chain: null, safe: null, finalized: null, lagBlocks: null };

function message(event: string, sequence: number, data: object = {}): string {
  return `id: e-${sequence}\nevent: ${event}\ndata: ${JSON.stringify({ sequence, ...data })}\n\n`;
}

const hello = (sequence: number) => message('hello', sequence, { resumed: false, heads });
const settled = (sequence: number) => message('settled', sequence, { campaignId: '1' });

/** A stream of these pieces; it stays open where `open`. */
function answer(pieces: readonly string[], open = false): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

function refusal(status: number, code: string): Response {
  const error = { code, message: 'No.', requestId: 'r' };
  return Response.json({ error }, { status });
}

/** Follows a service that answers these, one after the other, and then never. */
function follow(answers: readonly (Response | Error)[], options: StreamOptions = {}) {
  const requested: { url: string; lastEventId: string | null }[] = [];
  const left = [...answers];
  const send: typeof fetch = async (url, init) => {
    requested.push({
      url: String(url),
      lastEventId: new Headers(init?.headers).get('last-event-id'),
    });
    const next = left.shift();
    if (next instanceof Error) throw next;
    if (next !== undefined) return next;
    return await new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const stream = openStream({ base: 'http://api.test', send }, { retryMs: 1, ...options });
  return { asked: requested, stream };
}

async function take(stream: AsyncGenerator<StreamUpdate>, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { done, value } = await stream.next();
    if (done) break;
    ids.push(`${value.event} ${value.id}`);
  }
  return ids;
}

describe('the stream of the client', () => {
  it('yields messages however the network splits them, without comments and unknown events', async () => {
    const text = `${hello(1)}:\n\n${message('news', 2)}${settled(2)}`;
    const { asked: requested, stream } = follow([answer([...text], true)], {
      campaignId: ['1', '2'],
      account: ['0xab'],
    });
    expect(await take(stream, 2)).toEqual(['hello e-1', 'settled e-2']);
    expect(requested).toEqual([
      { url: 'http://api.test/v1/stream?campaignId=1%2C2&account=0xab', lastEventId: null },
    ]);
    await stream.return(undefined);
  });

  it('resumes after the last yielded message when a connection was lost', async () => {
    const { asked: requested, stream } = follow([
      answer([hello(1), settled(2), settled(3)]),
      new TypeError('no network'),
      refusal(503, 'NOT_READY'),
      answer([hello(3), settled(4), message('end', 4, { reason: 'SLOW', resumeFrom: 'e-9' })]),
      answer([hello(9), settled(10)], true),
    ]);
    expect(await take(stream, 7)).toEqual([
      ...['hello e-1', 'settled e-2', 'settled e-3'],
      ...['hello e-3', 'settled e-4', 'hello e-9', 'settled e-10'],
    ]);
    expect(requested.map(({ lastEventId }) => lastEventId)).toEqual([
      null,
      'e-3',
      'e-3',
      'e-3',
      'e-9',
    ]);
    await stream.return(undefined);
  });

  it('closes a silent connection, and reports the state of the connection', async () => {
    const states: string[] = [];
    const { stream } = follow([answer([hello(1)], true), answer([hello(1), settled(2)], true)], {
      idleMs: 30,
      onState: (state) => states.push(state),
    });
    expect(await take(stream, 3)).toEqual(['hello e-1', 'hello e-1', 'settled e-2']);
    expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open']);
    await stream.return(undefined);
  });

  it('throws errors that a retry cannot fix, and after too many consecutive failures', async () => {
    const wrong = follow([refusal(400, 'VALIDATION_FAILED')]);
    await expect(wrong.stream.next()).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const away = follow(
      Array.from({ length: 4 }, () => new TypeError('no network')),
      {
        maxFailures: 3,
      },
    );
    await expect(away.stream.next()).rejects.toMatchObject({ code: 'NETWORK' });
    expect(away.asked).toHaveLength(4);
  });

  it('ends when the signal aborts: between messages, while it waits, and before it begins', async () => {
    for (const answers of [[answer([hello(1)], true)], [new TypeError('no network')], []]) {
      const stopping = new AbortController();
      const { stream } = follow(answers, { signal: stopping.signal, retryMs: 60_000 });
      const first = stream.next();
      if (answers[0] instanceof Response) await first;
      const rest = answers[0] instanceof Response ? stream.next() : first;
      stopping.abort();
      expect(await rest).toEqual({ done: true, value: undefined });
    }
  });
});
