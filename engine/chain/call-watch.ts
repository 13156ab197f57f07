import type { Transport } from 'viem';
import { aroundRequests } from './around-requests.ts';
import { isUnanswered } from './errors.ts';

/** Milliseconds without an answer after which a call is named. */
const HANGS_MS = 60_000;

/** A method that an RPC has not answered since a time. */
export interface HangingCall {
  readonly method: string;
  /** Host and port of the RPC, without the rest of its URL, which may hold a key. */
  readonly host: string;
  /** Place of the RPC in RPC_URL, from 1: what a reader may see. */
  readonly place: number;
  /** When the first request was sent that had no answer until now. */
  readonly since: Date;
}

interface Unanswered extends HangingCall {
  /** Requests that wait. */
  open: number;
  /** Milliseconds, when the last request began or ended. */
  at: number;
}

/** Watches which methods of which RPCs are not answered. A refusal by the RPC itself is an answer. */
export class CallWatch {
  readonly #calls = new Map<string, Unanswered>();

  /** @param clock milliseconds. */
  constructor(private readonly clock: () => number = () => Date.now()) {}

  /**
   * The calls that have had no answer for a minute, the oldest first. A method that is not asked any more is not
   * among them.
   */
  hanging(): readonly HangingCall[] {
    const now = this.clock();
    for (const [key, { open, at }] of this.#calls) {
      if (open === 0 && now - at > HANGS_MS) this.#calls.delete(key);
    }
    return [...this.#calls.values()]
      .filter(({ since }) => now - since.getTime() > HANGS_MS)
      .sort((a, b) => a.since.getTime() - b.since.getTime());
  }

  /** The transport, whose requests are watched. */
  watched(transport: Transport, url: string, place: number): Transport {
    const { host } = new URL(url);
    return aroundRequests(transport, (send) => async (request, options) => {
      const { method } = request;
      const key = `${place} ${host} ${method}`;
      const call = this.#calls.get(key) ?? {
        ...{ method, host, place, since: new Date(this.clock()) },
        ...{ open: 0, at: 0 },
      };
      this.#calls.set(key, call);
      call.open += 1;
      try {
        const answer = await send(request, options);
        this.#calls.delete(key);
        return answer;
      } catch (error) {
        if (!isUnanswered(error)) this.#calls.delete(key);
        throw error;
      } finally {
        call.open -= 1;
        call.at = this.clock();
      }
    });
  }
}

/** The calls of this process. */
export const callWatch = new CallWatch();
