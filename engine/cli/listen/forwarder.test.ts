import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamUpdate } from '../../client/index.ts';
import type { Hex } from '../../core/events.ts';
import { readSubscription } from '../../core/webhook-events.ts';
import type { WebhookDeployment } from '../../core/webhook-message.ts';
import { Forwarder } from './forwarder.ts';

const deployment: WebhookDeployment = {
  chainId: 31_337,
  contractAddress: `0x${'c0'.repeat(20)}`,
  publicUrl: 'http://127.0.0.1:4000',
};

type StreamedEvent = Extract<StreamUpdate, { event: 'settled' }>['data']['events'][number];

function forwarderOf(...names: readonly string[]): Forwarder {
  const subscriptions = names.map(readSubscription).filter((one) => one !== undefined);
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  return new Forwarder(sha256, deployment, subscriptions);
}

/** Writes messages of a stream, each with the next sequence number. */
class Stream {
  #sequence = 0;

  #next() {
    this.#sequence += 1;
    return { id: `0a1b2c3d-${this.#sequence}`, sequence: this.#sequence };
  }

  head(settled: number, finalized: number | null, safe: number | null = null): StreamUpdate {
    const { id, sequence } = { id: `0a1b2c3d-${this.#sequence}`, sequence: this.#sequence };
    const number = (height: number | null) => (height === null ? null : String(height));
    const timestamp = timeOf(settled);
    const heads = {
      settled: { number: String(settled), hash: hashOf(`block ${settled}`), timestamp },
      chain: String(settled),
      safe: number(safe),
      finalized: number(finalized),
      lagBlocks: 0,
    };
    return { event: 'head', id, data: { sequence, heads } };
  }

  settled(campaignId: string, ...events: readonly StreamedEvent[]): StreamUpdate {
    const { id, sequence } = this.#next();
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a change has events');
    const block = { number: last.blockNumber, timestamp: last.at };
    const data = { sequence, campaignId, fromSeq: first.seq, toSeq: last.seq, block };
    return { event: 'settled', id, data: { ...data, events: [...events] } };
  }

  retracted(campaignId: string, afterSeq: number): StreamUpdate {
    const { id, sequence } = this.#next();
    return { event: 'retracted', id, data: { sequence, campaignId, afterSeq } };
  }

  reset(): StreamUpdate {
    const { id, sequence } = this.#next();
    return { event: 'reset', id, data: { sequence, reason: 'TOO_OLD' } };
  }
}

function hashOf(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`;
}

function timeOf(block: number): string {
  return new Date((1_700_000_000 + block) * 1_000).toISOString();
}

function eventOf(name: string, seq: number, block: number, fork = ''): StreamedEvent {
  return {
    seq,
    name,
    saleId: name.startsWith('Sale') ? String(seq) : null,
    amount: '5',
    at: timeOf(block),
    accounts: [],
    blockNumber: String(block),
    blockHash: hashOf(`block ${block} ${fork}`),
    transactionHash: hashOf(`transaction ${seq}`),
    logIndex: seq,
  };
}

/** Sends everything that is ready. @returns types and sales. */
function sendAll(forwarder: Forwarder, accepted = true): string[] {
  const sent: string[] = [];
  for (let one = forwarder.next(); one !== undefined; one = forwarder.next()) {
    sent.push(`${one.body.type} ${one.body.data.saleId}`);
    forwarder.finish(accepted);
  }
  return sent;
}

describe('Forwarder', () => {
  it('sends the events that are subscribed to, in order, with time and amount of each', () => {
    const [forwarder, stream] = [forwarderOf('sale.*', 'node.joined'), new Stream()];
    forwarder.take(
      stream.settled('1', eventOf('SaleRecorded', 1, 10), eventOf('NodeJoined', 2, 11)),
    );
    forwarder.take(stream.settled('2', eventOf('CampaignPaused', 1, 11)));
    const first = forwarder.next();
    expect(first?.body).toMatchObject({
      type: 'sale.recorded',
      timestamp: timeOf(10),
      data: { campaignId: '1', saleId: '1', amount: '5', finality: 'pending' },
    });
    forwarder.finish(true);
    expect(sendAll(forwarder)).toEqual(['node.joined null']);
  });

  it('holds an event until its block is safe or final, and does not delay others for it', () => {
    const forwarder = forwarderOf('sale.recorded@finalized', 'sale.refunded@safe', 'node.joined');
    const stream = new Stream();
    const names = ['SaleRecorded', 'SaleRefunded', 'NodeJoined'];
    forwarder.take(stream.settled('1', ...names.map((name, i) => eventOf(name, i + 1, 20))));
    forwarder.take(stream.head(20, 5, 19));
    expect(sendAll(forwarder)).toEqual(['node.joined null']);
    expect(forwarder.heldCount).toBe(2);
    forwarder.take(stream.head(21, 5, 20));
    expect(sendAll(forwarder)).toEqual(['sale.refunded 2']);
    // Without safe blocks, a final one is safe.
    forwarder.take(stream.head(30, 20, null));
    expect(sendAll(forwarder)).toEqual(['sale.recorded 1']);
    forwarder.take(stream.settled('1', eventOf('SaleRefunded', 4, 18)));
    expect(sendAll(forwarder)).toEqual(['sale.refunded 4']);
  });

  it('drops ready and held events that are retracted before they are sent', () => {
    const [forwarder, stream] = [forwarderOf('sale.recorded', 'sale.refunded@safe'), new Stream()];
    const events = [eventOf('SaleRecorded', 1, 10), eventOf('SaleRecorded', 2, 11)];
    forwarder.take(stream.settled('1', ...events, eventOf('SaleRefunded', 3, 11)));
    forwarder.take(stream.settled('2', eventOf('SaleRecorded', 9, 11)));
    forwarder.take(stream.retracted('1', 1));
    forwarder.take(stream.head(12, 12));
    expect(sendAll(forwarder)).toEqual(['sale.recorded 1', 'sale.recorded 9']);
  });

  it('retracts what the receiver has accepted, newest first, and nothing else', () => {
    const [forwarder, stream] = [forwarderOf('*'), new Stream()];
    const events = [1, 2, 3].map((seq) => eventOf('SaleRecorded', seq, 10 + seq));
    forwarder.take(stream.settled('1', ...events));
    sendAll(forwarder);
    forwarder.take(stream.settled('1', eventOf('SaleRecorded', 4, 14)));
    sendAll(forwarder, false);
    forwarder.take(stream.retracted('1', 1));
    expect(sendAll(forwarder)).toEqual(['sale.recorded.retracted 3', 'sale.recorded.retracted 2']);
    forwarder.take(stream.retracted('1', 1));
    expect(sendAll(forwarder)).toEqual([]);
  });

  it('cancels a delivery that is retracted while it is sent, and retracts it if it arrived', () => {
    for (const accepted of [true, false]) {
      const [forwarder, stream] = [forwarderOf('*'), new Stream()];
      forwarder.take(stream.settled('1', eventOf('SaleRecorded', 1, 10)));
      const sending = forwarder.next();
      expect(forwarder.isCancelled).toBe(false);
      forwarder.take(stream.retracted('1', 0));
      expect(forwarder.isCancelled).toBe(true);
      forwarder.finish(accepted);
      const retraction = forwarder.next();
      expect(retraction?.body.data.retracts).toBe(
        accepted ? sending?.body.data.eventId : undefined,
      );
    }
  });

  it('resumes before the first webhook that was not sent', () => {
    const [forwarder, stream] = [
      forwarderOf('sale.recorded', 'node.joined@finalized'),
      new Stream(),
    ];
    expect(forwarder.resumeFrom).toBeUndefined();
    forwarder.take(stream.head(9, 0));
    forwarder.take(stream.settled('1', eventOf('SaleRecorded', 1, 10)));
    forwarder.take(stream.settled('1', eventOf('NodeJoined', 2, 10)));
    forwarder.take(stream.settled('1', eventOf('SaleRecorded', 3, 10)));
    expect(forwarder.resumeFrom).toBe('0a1b2c3d-0');
    forwarder.next();
    expect(forwarder.resumeFrom).toBe('0a1b2c3d-0');
    forwarder.finish(true);
    sendAll(forwarder);
    expect(forwarder.resumeFrom).toBe('0a1b2c3d-1');
    forwarder.take(stream.head(11, 10));
    sendAll(forwarder);
    expect(forwarder.resumeFrom).toBe('0a1b2c3d-3');
  });

  it('forgets everything if the service cannot resume', () => {
    const [forwarder, stream] = [forwarderOf('sale.*', 'node.*@finalized'), new Stream()];
    forwarder.take(stream.settled('1', eventOf('SaleRecorded', 1, 10)));
    sendAll(forwarder);
    forwarder.take(
      stream.settled('1', eventOf('SaleRecorded', 2, 10), eventOf('NodeJoined', 3, 10)),
    );
    forwarder.take(stream.reset());
    forwarder.take(stream.retracted('1', 0));
    forwarder.take(stream.head(11, 11));
    expect(sendAll(forwarder)).toEqual([]);
  });

  it('leaves a receiver with exactly the events of the chain, whatever is retracted', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant({ do: 'settle' as const }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('retract' as const), to: fc.nat(9) }) },
      { weight: 5, arbitrary: fc.constant({ do: 'send' as const }) },
      { weight: 2, arbitrary: fc.constant({ do: 'begin' as const }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), ok: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('head' as const), behind: fc.nat(3) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100, size: 'max' }), fc.boolean(), (steps, final) => {
        const [forwarder, stream] = [forwarderOf(final ? '*@finalized' : '*'), new Stream()];
        /** Hashes of the blocks of the chain, which has one event in each. */
        let chain: Hex[] = [];
        let [fork, finalized] = [0, 0];
        const held = new Map<string, Hex>();
        let sending: ReturnType<Forwarder['next']>;
        const finish = (accepted: boolean) => {
          const body = sending?.body;
          sending = undefined;
          if (body === undefined) return;
          const { eventId, retracts, chain: location } = body.data;
          if (accepted && retracts === null && location !== null) {
            held.set(eventId, location.blockHash);
          } else if (accepted && retracts !== null) {
            expect(held.delete(retracts)).toBe(true);
          }
          forwarder.finish(accepted);
        };
        const refused = new Set<Hex>();
        for (const one of steps) {
          if (one.do === 'settle') {
            const seq = chain.length + 1;
            const event = eventOf('SaleRecorded', seq, seq, String(fork));
            chain.push(event.blockHash);
            forwarder.take(stream.settled('1', event));
          } else if (one.do === 'retract') {
            const afterSeq = Math.max(finalized, chain.length - one.to);
            fork += 1;
            chain = chain.slice(0, afterSeq);
            forwarder.take(stream.retracted('1', afterSeq));
          } else if (one.do === 'head') {
            finalized = Math.max(finalized, chain.length - one.behind);
            forwarder.take(stream.head(chain.length, finalized));
          } else if (one.do === 'begin') {
            sending ??= forwarder.next();
          } else if (one.do === 'send') {
            sending ??= forwarder.next();
            finish(true);
          } else {
            const { retracts = null, chain: location = null } = sending?.body.data ?? {};
            const ok = one.ok || retracts !== null;
            if (!ok && location !== null) refused.add(location.blockHash);
            finish(ok);
          }
        }
        finish(true);
        forwarder.take(stream.head(chain.length, chain.length));
        for (sending = forwarder.next(); sending !== undefined; sending = forwarder.next()) {
          finish(true);
        }
        const expected = chain.filter((hash) => !refused.has(hash));
        expect([...held.values()].sort()).toEqual(expected.sort());
      }),
      { numRuns: 500 },
    );
  });
});
