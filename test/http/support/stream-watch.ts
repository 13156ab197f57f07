import { createParser } from 'eventsource-parser';
import {
  type StreamEventName,
  type StreamMessage,
  streamMessages,
} from '../../../engine/contract/shapes/stream.ts';
import { withTimeout } from '../../../engine/http/limits/with-timeout.ts';
import type { ApiFixture } from './api-fixture.ts';

/** Milliseconds for the next bytes to come. */
const READ_MS = 20_000;

type Message<N extends StreamEventName> = Extract<StreamMessage, { event: N }>;

/** One reader of the stream, who takes a message when the test asks for one. */
export class StreamWatch {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #waiting: StreamMessage[] = [];
  readonly #parser = createParser({
    onEvent: ({ event = '', id = '', data }) => this.#waiting.push(messageOf(event, id, data)),
    onComment: () => {
      this.comments += 1;
    },
  });
  /** Heartbeats so far. */
  comments = 0;

  private constructor(readonly response: Response) {
    if (response.body === null) throw new Error('the stream has no body');
    this.#reader = response.body.getReader();
  }

  /** @throws Error with the answer where it is no stream. */
  static async open(
    app: ReturnType<ApiFixture['app']>,
    options: { query?: string; lastEventId?: string | undefined } = {},
  ): Promise<StreamWatch> {
    const { query = '', lastEventId } = options;
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await app.request(`/v1/stream${query}`, { headers });
    if (response.status !== 200) throw new Error(await response.text());
    return new StreamWatch(response);
  }

  /** The next message; `undefined` where the stream has ended. */
  async next(): Promise<StreamMessage | undefined> {
    while (this.#waiting.length === 0) if (!(await this.read())) return undefined;
    return this.#waiting.shift();
  }

  /** The next message of that event; the others are passed over. */
  async nextOf<N extends StreamEventName>(event: N): Promise<Message<N>> {
    for (;;) {
      const message = await this.next();
      if (message === undefined) throw new Error(`the stream ended before ${event}`);
      if (isOf(message, event)) return message;
    }
  }

  /** Takes what is sent next, be it a comment. */
  async read(): Promise<boolean> {
    const { done, value } = await withTimeout(this.#reader.read(), READ_MS);
    if (!done) this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    return !done;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}

function isOf<N extends StreamEventName>(message: StreamMessage, event: N): message is Message<N> {
  return message.event === event;
}

/** Held against its schema, which lets no other field pass. */
function messageOf(event: string, id: string, data: string): StreamMessage {
  const body: unknown = JSON.parse(data);
  switch (event) {
    case 'hello':
      return { event, id, data: streamMessages.hello.parse(body) };
    case 'settled':
      return { event, id, data: streamMessages.settled.parse(body) };
    case 'retracted':
      return { event, id, data: streamMessages.retracted.parse(body) };
    case 'head':
      return { event, id, data: streamMessages.head.parse(body) };
    case 'reset':
      return { event, id, data: streamMessages.reset.parse(body) };
    case 'end':
      return { event, id, data: streamMessages.end.parse(body) };
    default:
      throw new Error(`the stream has no event ${event}`);
  }
}
