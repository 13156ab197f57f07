import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDispute } from '../../../engine/db/commerce/disputes.ts';
import { deleteOldEvents } from '../../../engine/db/commerce/webhook-outbox.ts';
import type { SendOutcome } from '../../../engine/jobs/webhooks/send.ts';
import { ApiFixture } from '../../http/support/api-fixture.ts';
import { HistoryBuilder } from '../../http/support/facts.ts';
import { smallHistory } from '../../http/support/small-history.ts';
import { SECRET, settledEvents, WebhookNetwork } from '../../http/support/webhook-network.ts';
import { account, hash } from '../../support/history.ts';

const MERCHANT = account(1_000);
const HOUR_MS = 3_600_000;
const answer = (status: number, retryAfterSeconds: number | null = null): SendOutcome => ({
  ...{ kind: 'answered', status, retryAfterSeconds, excerpt: 'An answer.', ms: 7 },
});

describe('webhooks', () => {
  let fixture: ApiFixture;
  let network: WebhookNetwork;

  beforeEach(async () => {
    fixture = await ApiFixture.open();
    network = new WebhookNetwork(fixture);
  });
  afterEach(() => fixture.close());

  const settleHistory = () => fixture.settle(smallHistory().history.facts);

  it('sends a merchant every event of its campaigns once, signed', async () => {
    const receiver = await network.add({ owner: MERCHANT });
    await settleHistory();
    await network.drain();
    const own = receiver.held.filter((one) => !one.startsWith('2 '));
    expect(own).toEqual(await settledEvents(fixture.pool, MERCHANT));
    expect(own.length).toBeGreaterThan(20);
    // Campaign 2 is another merchant's: only what names the account is sent.
    expect(receiver.held.filter((one) => one.startsWith('2 '))).toMatchObject([
      expect.stringContaining('campaign.funded'),
    ]);
    await network.drain();
    expect(receiver.requests).toHaveLength(receiver.messages.length);
    for (const { body, headers } of receiver.requests) {
      const verifier = new Webhook(SECRET, { tolerance: Number.MAX_SAFE_INTEGER } as never);
      expect(headers['webhook-timestamp']).toBe(String(Math.floor(network.now / 1_000)));
      const signed = verifier.sign(headers['webhook-id'] ?? '', new Date(network.now), body);
      expect(headers['webhook-signature']).toBe(signed);
    }
  });

  it('says where an event is on the chain, and what to read as of its block', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['sale.recorded'] });
    await settleHistory();
    await network.drain();
    const message = receiver.messages.find(({ data }) => data.saleId === '1');
    expect(message).toMatchObject({
      type: 'sale.recorded',
      data: { retracts: null, finality: 'pending', campaignId: '1', saleId: '1' },
    });
    const { chain, links } = message?.data ?? {};
    expect(links?.self).toMatch(
      new RegExp(`/v1/receipts/31337/1\\?atBlock=${chain?.blockNumber}$`),
    );
    const [stored] = await fixture.pool`
      select block_hash, transaction_hash from ledger.journal
      where campaign_id = 1 and name = 'SaleRecorded' order by seq limit 1`;
    expect(chain?.blockHash).toBe(stored?.block_hash);
    expect(chain?.transactionHash).toBe(stored?.transaction_hash);
  });

  it('sends a distributor what concerns its account, and nothing else', async () => {
    const owner = account(14);
    const receiver = await network.add({ owner });
    await settleHistory();
    await network.drain();
    expect(receiver.types).toContain('reward.claimable');
    expect(receiver.types).toContain('reward.claimed');
    expect(receiver.types).not.toContain('campaign.created');
    for (const { data } of receiver.messages) expect(data.accounts).toContain(owner);
  });

  it('sends only what an endpoint subscribes to, and nothing of blocks before it was made', async () => {
    const { facts } = smallHistory().history;
    const fork = facts.find(({ name }) => name === 'SaleRefunded')?.blockNumber ?? 0;
    await fixture.settle(facts.filter(({ blockNumber }) => blockNumber < fork));
    const late = await network.add({ owner: MERCHANT, events: ['sale.*'] });
    await network.drain();
    expect(late.messages).toEqual([]);
    await fixture.settle(facts.filter(({ blockNumber }) => blockNumber >= fork));
    await network.drain();
    expect(new Set(late.types.map((type) => type.split('.')[0]))).toEqual(new Set(['sale']));
    expect(late.types).not.toContain('sale.recorded');
  });

  it('waits until a block is final where the endpoint asks for it', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['sale.recorded@finalized'] });
    await settleHistory();
    await network.drain();
    expect(receiver.messages).toEqual([]);
    await fixture.pool`update ledger.head set finalized_number = settled_number`;
    await network.drain();
    expect(receiver.types.length).toBeGreaterThan(2);
    expect(receiver.messages[0]?.data.finality).toBe('finalized');
  });

  it('says pending of a delivery that a worker of an older version made', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['sale.recorded'] });
    await settleHistory();
    await network.publish();
    const { count } = await fixture.pool`
      update commerce.webhook_delivery set finality = 'settled' where finality = 'pending'`;
    expect(count).toBeGreaterThan(2);
    await network.drain();
    expect(receiver.messages).toHaveLength(count);
    expect(new Set(receiver.messages.map(({ data }) => data.finality))).toEqual(
      new Set(['pending']),
    );
  });

  it('sends no event twice after the ledger was made again', async () => {
    const receiver = await network.add({ owner: MERCHANT });
    await settleHistory();
    await network.drain();
    const sent = receiver.requests.length;
    // As a reindex: another epoch, whose changes tell everything again.
    await fixture.pool`update ledger.head set stream_epoch = 'another'`;
    await network.drain();
    expect(receiver.requests).toHaveLength(sent);
    expect(await pendingDeliveries()).toBe(0);
  });

  it('retracts what a ledger that was made again does not have', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['sale.recorded'] });
    await settleHistory();
    await network.drain();
    await fixture.pool`update ledger.head set stream_epoch = 'another'`;
    await fixture.pool`
      update ledger.journal set block_hash = ${hash('another block')}
      where campaign_id = 1 and name = 'SaleRecorded' and sale_id = 1`;
    await network.drain();
    const retraction = receiver.messages.find(({ data }) => data.retracts !== null);
    expect(retraction).toMatchObject({ type: 'sale.recorded.retracted', data: { saleId: '1' } });
    expect(receiver.held).toEqual(
      (await settledEvents(fixture.pool, MERCHANT)).filter((one) => one.includes('sale.recorded')),
    );
  });

  it('tries for 75 hours with growing waits, and gives up', async () => {
    const receiver = await network.add({
      ...{ owner: MERCHANT, events: ['campaign.created'], behaviour: () => answer(500) },
    });
    const start = network.now;
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    await network.drain();
    expect(receiver.requests).toHaveLength(10);
    const hours = (network.now - start) / HOUR_MS;
    expect(hours).toBeGreaterThan(75);
    expect(hours).toBeLessThan(77);
    const [delivery] = await fixture.pool`
      select status, attempt, http_status from commerce.webhook_delivery`;
    expect(delivery).toEqual({ status: 'failed', attempt: 10, http_status: 500 });
    const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    const times = new Set(receiver.requests.map(({ headers }) => headers['webhook-timestamp']));
    expect([ids.size, times.size]).toEqual([1, 10]);
    const attempts = await fixture.pool`select attempt, excerpt from commerce.webhook_attempt`;
    expect(attempts).toHaveLength(10);
    expect(attempts[0]?.excerpt).toBe('An answer.');
  });

  it('waits as long as a receiver asks for, also with its other events', async () => {
    const behaviour = (request: number) => (request === 0 ? answer(429, 7_200) : 'takes');
    const receiver = await network.add({ owner: MERCHANT, behaviour });
    await fixture.settle(smallHistory().history.facts.slice(0, 3));
    await network.publish();
    const start = network.now;
    const dispatcher = network.dispatcher();
    await dispatcher.begin();
    await dispatcher.idle();
    await network.drain();
    expect(network.now - start).toBeGreaterThanOrEqual(7_200_000);
    expect(receiver.messages).toHaveLength(3);
  });

  it('turns an endpoint off that answers 410, or that has failed for 5 days, and says so', async () => {
    const gone = await network.add({ owner: MERCHANT, behaviour: () => answer(410) });
    const other = await network.add({ owner: MERCHANT, events: ['webhook.disabled'] });
    await settleHistory();
    await network.drain();
    expect(gone.requests.length).toBeLessThanOrEqual(4);
    const [endpoint] = await fixture.pool`
      select enabled, disabled_reason from commerce.webhook_endpoint where id = ${gone.id}`;
    expect(endpoint?.enabled).toBe(false);
    expect(endpoint?.disabled_reason).toMatch(/410/);
    expect(other.messages).toMatchObject([{ data: { subjectId: gone.id } }]);
  });

  it('sends one delivery at a time to an endpoint that failed, and four after a success', async () => {
    const behaviour = (request: number) => (request < 4 ? 'refuses' : 'takes');
    await network.add({ owner: MERCHANT, behaviour });
    await settleHistory();
    await network.publish();
    const dispatcher = network.dispatcher();
    const begun = [];
    for (let i = 0; i < 3; i += 1) {
      begun.push(await dispatcher.begin());
      await dispatcher.idle();
    }
    expect(begun).toEqual([4, 1, 4]);
  });

  it('sends again, under the same id, what a process was sending when it ended', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['campaign.created'] });
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    await network.publish();
    await loseAttempt();
    expect(receiver.messages).toHaveLength(1);
    await network.send();
    expect(receiver.requests).toHaveLength(1);
    network.now += 61_000;
    await network.send();
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.messages).toHaveLength(1);
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('sends only the retraction of an event if the process that sent the event has ended', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['campaign.created'] });
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    await network.publish();
    await loseAttempt();
    await fixture.pool`
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select sequence + 1, 1, 'retracted', 1, 1 from ledger.head`;
    await fixture.pool`update ledger.head set sequence = sequence + 1`;
    await network.publish();
    // It is not known yet whether the event arrived.
    expect(await network.send()).toBe(0);
    network.now += 61_000;
    await network.drain();
    expect(receiver.types).toEqual(['campaign.created', 'campaign.created.retracted']);
    expect(receiver.requests).toHaveLength(2);
    expect(
      await fixture.pool`select status, attempt from commerce.webhook_delivery order by event_number`,
    ).toEqual([
      { status: 'cancelled', attempt: 1 },
      { status: 'delivered', attempt: 1 },
    ]);
  });

  it('counts lost attempts, and gives up after ten', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['campaign.created'] });
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    await network.publish();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await loseAttempt();
      network.now += 61_000;
    }
    expect(await network.send()).toBe(0);
    expect(receiver.requests).toHaveLength(10);
    const [delivery] = await fixture.pool`select status, attempt from commerce.webhook_delivery`;
    expect(delivery).toEqual({ status: 'failed', attempt: 10 });
    const attempts = await fixture.pool`
      select distinct latency_ms, http_status, error from commerce.webhook_attempt`;
    expect(attempts).toEqual([
      { latency_ms: 60_000, http_status: null, error: expect.stringContaining('may have arrived') },
    ]);
  });

  it('notes the outcome of an attempt that ends after its lease, in place of its loss', async () => {
    const receiver = await network.add({ owner: MERCHANT, events: ['campaign.created'] });
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    await network.publish();
    let answer = (_: SendOutcome) => {};
    const slow = network.dispatcher(
      () =>
        new Promise<SendOutcome>((resolve) => {
          answer = resolve;
        }),
    );
    await slow.begin();
    network.now += 61_000;
    await network.send();
    const attempts = () => fixture.pool`
      select attempt, http_status, error from commerce.webhook_attempt order by attempt`;
    expect(await attempts()).toMatchObject([
      { attempt: 1, http_status: null },
      { http_status: 204 },
    ]);
    answer({ kind: 'answered', status: 202, retryAfterSeconds: null, excerpt: '', ms: 5 });
    await slow.idle();
    expect(await attempts()).toEqual([
      { attempt: 1, http_status: 202, error: null },
      { attempt: 2, http_status: 204, error: null },
    ]);
    expect(receiver.requests).toHaveLength(1);
  });

  it('keeps the order of a campaign for an ordered endpoint, whatever fails', async () => {
    const behaviour = (request: number) => (request % 3 === 1 ? 'refuses' : 'takes');
    const receiver = await network.add({ owner: MERCHANT, ordered: true, behaviour });
    await settleHistory();
    await network.drain();
    for (const campaign of ['1', '2', '3']) {
      const order = receiver.messages
        .filter(({ data }) => data.campaignId === campaign)
        .map(({ data }) => [Number(data.chain?.blockNumber), data.chain?.logIndex ?? 0] as const);
      const sorted = [...order].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect(order).toEqual(sorted);
    }
    const own = receiver.held.filter((one) => !one.startsWith('2 '));
    expect(own).toEqual(await settledEvents(fixture.pool, MERCHANT));
  });

  it('sends merchant and buyer a dispute, with its id', async () => {
    const buyer = account(31);
    const receivers = [await network.add({ owner: MERCHANT }), await network.add({ owner: buyer })];
    const at = new Date(network.now);
    await openDispute(
      fixture.pool,
      {
        ...{ id: 'd-1', campaignId: '1', buyer, orderKey: hash('order'), merchant: MERCHANT },
        ...{ holdUntil: 1, reason: 'other', requestedAmount: 5n, refundedBefore: 0n, at },
      },
      { id: 'm-1', from: 'buyer', text: 'Please.', at },
    );
    await settleHistory();
    await network.drain();
    for (const { messages } of receivers) {
      const disputes = messages.filter(({ type }) => type.startsWith('dispute.'));
      expect(disputes).toMatchObject([
        {
          type: 'dispute.opened',
          data: { subjectId: 'd-1', amount: '5', chain: null, finality: null },
        },
      ]);
    }
  });

  it('forgets what is older than 30 days, and never sends it again', async () => {
    const receiver = await network.add({ owner: MERCHANT });
    await settleHistory();
    await network.drain();
    const sent = receiver.requests.length;
    const later = new Date(network.now + 31 * 24 * HOUR_MS);
    while ((await deleteOldEvents(fixture.pool, later)) > 0);
    const [left] = await fixture.pool`select count(*)::int as count from commerce.webhook_event`;
    expect(left?.count).toBe(0);
    await fixture.pool`update ledger.head set stream_epoch = 'another'`;
    await network.drain();
    expect(receiver.requests).toHaveLength(sent);
  });

  it('cancels what waits and retracts what was sent after a reorg, newest first', async () => {
    const notified = await network.add({ owner: MERCHANT });
    const waiting = await network.add({ owner: MERCHANT, events: ['sale.*@finalized'] });
    const first = new HistoryBuilder();
    first.create('1');
    first.schedule('1');
    first.fund('1', 10_000_000n);
    first.nextBlock();
    first.join('1', '1', '0');
    await fixture.settle(first.facts);
    await network.drain();
    const sent = notified.messages.length;
    await fixture.pool`
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select sequence + 1, 1, 'retracted', 2, 4 from ledger.head`;
    await fixture.pool`update ledger.head set sequence = sequence + 1`;
    await network.drain();
    const retractions = notified.messages.slice(sent);
    expect(retractions.map(({ type }) => type)).toEqual([
      'node.joined.retracted',
      'campaign.funded.retracted',
      'policy.scheduled.retracted',
    ]);
    expect(waiting.messages).toEqual([]);
    // The same events again: each gets a new id, because its retraction was sent.
    await fixture.pool`
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select sequence + 1, 1, 'settled', 2, 4 from ledger.head`;
    await fixture.pool`update ledger.head set sequence = sequence + 1`;
    await network.drain();
    expect(notified.held).toEqual(await settledEvents(fixture.pool, MERCHANT));
    const again = notified.messages.slice(sent + 3);
    expect(again.every(({ data }) => data.eventId.endsWith('_2'))).toBe(true);
  });

  /** Sends what is due from a process that ends when the receiver has it, before it stores that. */
  async function loseAttempt(): Promise<void> {
    const killed = network.dispatcher((request) => {
      network.receive(request);
      return new Promise<never>(() => {});
    });
    await killed.begin();
  }

  async function pendingDeliveries(): Promise<number> {
    const rows = await fixture.pool`
      select 1 from commerce.webhook_delivery where status in ('queued', 'sending')`;
    return rows.length;
  }
});
