import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDispute } from '../../../engine/db/commerce/disputes.ts';
import { deleteOldMails } from '../../../engine/db/commerce/mail-outbox.ts';
import { readOutboxes } from '../../../engine/db/commerce/outbox-metrics.ts';
import { runMail } from '../../../engine/jobs/mail/run-mail.ts';
import { runPublisher } from '../../../engine/jobs/webhooks/run-webhooks.ts';
import { CHAIN_ID } from '../../http/support/api-fixture.ts';
import { HistoryBuilder } from '../../http/support/facts.ts';
import { MailNetwork } from '../../http/support/mail-network.ts';
import { smallHistory } from '../../http/support/small-history.ts';
import { WebhookNetwork } from '../../http/support/webhook-network.ts';
import { account, hash } from '../../support/history.ts';
import { IndexerTable } from '../../support/indexer-table.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
const ANN = account(14);
const MAIL = 'ann@example.com';

describe('notifications by e-mail', () => {
  let network: MailNetwork;

  beforeEach(async () => {
    network = await MailNetwork.open();
  });
  afterEach(() => network.close());

  const settleHistory = () => network.fixture.settle(smallHistory().history.facts);
  const mailCount = async () => {
    const [row] = await network.pool`select count(*)::int as count from commerce.mail_item`;
    return row?.count as number;
  };

  it('sends an account what happened to it once the blocks are safe, in one mail', async () => {
    await network.confirm(ANN, MAIL);
    await settleHistory();
    await network.drain();
    // Nothing of blocks that a reorg may still replace.
    expect(network.server.taken).toEqual([]);
    await network.makeSafe();
    await network.drain();
    const [mail, ...others] = network.server.taken;
    expect(others).toEqual([]);
    expect(mail?.to).toEqual([MAIL]);
    expect(mail?.parsed.subject).toBe('2 notifications');
    const text = mail?.parsed.text ?? '';
    // 20,000 and 30,000 base units of a token with 6 decimals.
    expect(text).toContain('- A reward was reduced, because its sale was refunded: 0.02 TUSD');
    expect(text).toContain('- A reward became claimable: 0.03 TUSD');
    expect(text).toMatch(
      /campaign 1, sale 1, block 104\n {2}https:\/\/shop.example\/receipts\/31337\/1\n/,
    );
    expect(text).toContain(`because this address was confirmed for the account ${ANN}`);
    const { data } = await (await network.fixture.clientAs(ANN)).notifications.list({});
    expect(new Set(data.items.map(({ kind, amount }) => `${kind} ${amount}`))).toEqual(
      new Set(['rewards_claimable 30000', 'rewards_refunded 20000']),
    );
    await network.drain();
    expect(network.server.taken).toHaveLength(1);
  });

  it('sends only the kinds that an account chose, and nothing of blocks before', async () => {
    const { facts } = smallHistory().history;
    const fork = facts.find(({ name }) => name === 'RewardVested')?.blockNumber ?? 0;
    await network.fixture.settle(facts.filter(({ blockNumber }) => blockNumber < fork));
    await network.confirm(ANN, MAIL);
    await network.confirm(account(15), 'eve@example.com', ['rewards_reversed']);
    await network.fixture.settle(facts.filter(({ blockNumber }) => blockNumber >= fork));
    await network.makeSafe();
    await network.drain();
    expect(network.to(MAIL)).toHaveLength(1);
    expect(network.to(MAIL)[0]?.parsed.subject).toBe('A reward became claimable');
    expect(network.to('eve@example.com')[0]?.parsed.subject).toBe('A reward was reversed');
  });

  it('informs only those who joined a campaign that it was paused or got a policy', async () => {
    await network.confirm(account(11), 'one@example.com');
    await network.confirm(account(12), 'two@example.com');
    await network.confirm(account(1_000), 'shop@example.com');
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.join('1', '1');
    history.nextBlock();
    history.schedule('1', {}, { version: 2 });
    history.add('1', { name: 'CampaignPaused', args: {} });
    history.nextBlock();
    history.join('1', '2');
    history.add('1', { name: 'CampaignResumed', args: {} });
    await network.fixture.settle(history.facts);
    await network.makeSafe();
    await network.drain();
    const text = network.to('one@example.com')[0]?.parsed.text;
    expect(text).toMatch(/policy was scheduled.*was paused.*was resumed/s);
    expect(network.to('two@example.com')[0]?.parsed.subject).toMatch(/resumed/);
    expect(network.to('shop@example.com')).toEqual([]);
  });

  it('informs merchant and buyer of requests for refunds, and when one was paid', async () => {
    const buyer = account(500);
    await network.confirm(buyer, 'buyer@example.com');
    await network.confirm(account(1_000), 'shop@example.com');
    const at = new Date(network.now);
    const { facts } = smallHistory().history;
    const fork = facts.find(({ name }) => name === 'SaleRefunded')?.blockNumber ?? 0;
    await network.fixture.settle(facts.filter(({ blockNumber }) => blockNumber < fork));
    const [sale] = await network.pool`select order_key from ledger.sale where sale_id = 1`;
    await openDispute(
      network.pool,
      {
        ...{
          id: 'd-1',
          campaignId: '1',
          buyer,
          orderKey: sale?.order_key,
          merchant: account(1_000),
        },
        ...{ holdUntil: 1, reason: 'other', requestedAmount: 300_000n, refundedBefore: 0n, at },
      },
      { id: 'm-1', from: 'buyer', text: 'Please.', at },
    );
    await network.drain();
    expect(network.to('shop@example.com')[0]?.parsed.text).toMatch(
      /- A buyer asked for a refund: 0\.3 TUSD\n {2}campaign 1, id d-1\n/,
    );
    expect(network.to('buyer@example.com')).toEqual([]);
    await network.pool`
      update commerce.dispute set answer = 'accepted', accepted_amount = 300000 where id = 'd-1'`;
    await network.drain();
    expect(network.to('buyer@example.com')[0]?.parsed.subject).toMatch(/was answered/);
    await network.fixture.settle(facts.filter(({ blockNumber }) => blockNumber >= fork));
    await network.makeSafe();
    await network.drain();
    expect(network.to('buyer@example.com')[1]?.parsed.text).toMatch(
      /- The refund that you asked for was paid: 0\.4 TUSD\n {2}campaign 1, sale 1, block/,
    );
  });

  it('sends each notification once, although processes run concurrently and everything is published again', async () => {
    const owners = [11, 12, 13, 14, 15, 16, 17].map(account);
    for (const [i, owner] of owners.entries()) await network.confirm(owner, `n${i}@example.com`);
    await settleHistory();
    await network.makeSafe();
    await Promise.all([network.publish(), network.publish(), network.publish()]);
    const work = Array.from({ length: 3 }, () => network.send());
    await Promise.all(work);
    const sent = network.server.taken.length;
    expect(sent).toBeGreaterThan(3);
    expect(new Set(network.server.taken.map(({ to }) => to[0])).size).toBe(sent);
    expect(new Set(network.server.taken.map(({ parsed }) => parsed.messageId)).size).toBe(sent);
    // As a reindex: another epoch, whose changes report everything again.
    await network.pool`update ledger.head set stream_epoch = 'another'`;
    await network.drain();
    expect(network.server.taken).toHaveLength(sent);
  });

  it('sends nothing that a reorg removed before its block was safe', async () => {
    await network.confirm(ANN, MAIL);
    const { facts } = smallHistory().history;
    await network.fixture.settle(facts);
    await network.publish();
    expect(await mailCount()).toBe(2);
    // Other blocks, with the same refund, in which campaign 1 has no reward that became claimable.
    const fork = facts.find(({ name }) => name === 'SaleRefunded')?.blockNumber ?? 0;
    const replaced = facts
      .filter(({ campaignId, blockNumber }) => blockNumber <= fork || campaignId !== '1')
      .map((fact) =>
        fact.blockNumber < fork ? fact : { ...fact, blockHash: hash(`other ${fact.blockNumber}`) },
      );
    await new IndexerTable(network.pool, 'indexer_test').removeFrom(0);
    await network.fixture.settle(replaced);
    await network.makeSafe();
    await network.drain();
    expect(network.server.taken).toHaveLength(1);
    const text = network.server.taken[0]?.parsed.text ?? '';
    expect(text.match(/^- /gm)).toHaveLength(1);
    expect(text).toContain('was reduced');
    expect(await mailCount()).toBe(1);
  });

  it('sends again, under the same id, what a process had sent when it ended', async () => {
    await network.confirm(ANN, MAIL);
    await settleHistory();
    await network.makeSafe();
    await network.publish();
    const real = network.sender();
    // The server took it, and the process ended before it could store that.
    const killed = network.dispatcher({
      send: async (mail) => {
        await real.send(mail);
        return await new Promise<never>(() => {});
      },
    });
    await killed.begin();
    await expect.poll(() => network.server.taken.length).toBe(1);
    await network.send();
    expect(network.server.taken).toHaveLength(1);
    network.now += 121_000;
    await network.send();
    expect(network.server.taken).toHaveLength(2);
    const [first, second] = network.server.taken;
    expect(second?.parsed.messageId).toBe(first?.parsed.messageId);
    expect(second?.parsed.text).toBe(first?.parsed.text);
    network.now += 121_000;
    await network.send();
    expect(network.server.taken).toHaveLength(2);
  });

  it('tries again after a temporary failure, with growing waits', async () => {
    await network.confirm(ANN, MAIL);
    await settleHistory();
    await network.makeSafe();
    const start = network.server.connections;
    network.server.behave = (mail) =>
      mail - start < 2 ? { refuses: 'recipient', code: 450 } : 'takes';
    await network.drain();
    expect(network.server.taken).toEqual([]);
    network.now += 5_000;
    await network.send();
    expect(network.server.taken).toEqual([]);
    network.now += 60_000;
    await network.send();
    expect(network.server.connections - start).toBe(2);
    network.now += 240_000;
    await network.send();
    expect(network.server.taken).toHaveLength(1);
    const [mail] = await network.pool`
      select status, attempt from commerce.mail where status = 'sent' order by attempt desc limit 1`;
    expect(mail).toEqual({ status: 'sent', attempt: 3 });
  });

  it('calls an address undeliverable after three mails that were refused for good', async () => {
    const client = await network.confirm(ANN, MAIL);
    network.server.behave = () => ({ refuses: 'recipient', code: 550 });
    for (const id of ['1', '2', '3', '4']) {
      await network.pool`
        insert into commerce.service_event (type, accounts, subject_id)
        values ('invitation.received', ${[account(1_000), ANN]}, ${id})`;
      await network.drain();
    }
    const { data } = await client.notifications.preferences({});
    expect(data).toMatchObject({ email: MAIL, status: 'undeliverable' });
    const mails =
      await network.pool`select status, smtp_code from commerce.mail where status = 'failed'`;
    // No fourth one was made.
    expect([...mails]).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'failed', smtp_code: 550 })),
    );
    const { mails: state } = await readOutboxes(network.pool, new Date(network.now));
    expect(state).toEqual({ queued: 0, oldestDue: null, disabled: 1 });
    // Its owner names it again, and confirms it.
    network.server.behave = () => 'takes';
    await network.confirm(ANN, MAIL);
  });

  it('leaves a server alone that is away, and blames no address for it', async () => {
    const client = await network.confirm(ANN, MAIL);
    network.server.behave = () => ({ refuses: 'connect', code: 421 });
    const dispatcher = network.dispatcher();
    const start = network.server.connections;
    for (const id of ['1', '2', '3', '4', '5', '6']) {
      await network.pool`
        insert into commerce.service_event (type, accounts, subject_id)
        values ('invitation.received', ${[account(1_000), ANN]}, ${id})`;
      await network.publish();
      await dispatcher.begin();
      await dispatcher.idle();
    }
    expect(network.server.connections - start).toBe(1);
    const { data } = await client.notifications.preferences({});
    expect(data.status).toBe('confirmed');
    const { mails } = await readOutboxes(network.pool, new Date(network.now));
    expect(mails.queued).toBe(6);
    network.now += HOUR_MS;
    const late = await readOutboxes(network.pool, new Date(network.now));
    expect(late.mails.oldestDue).toBe((network.now - HOUR_MS) / 1_000);
    network.server.behave = () => 'takes';
    await network.send();
    expect(network.server.taken).toHaveLength(6);
  });

  it('delays no webhook because the mail server is silent', async () => {
    await network.confirm(ANN, MAIL);
    const webhooks = new WebhookNetwork(network.fixture, network.now);
    const receiver = await webhooks.add({ owner: ANN, events: ['reward.*'] });
    await settleHistory();
    await network.makeSafe();
    await network.publish();
    network.server.behave = () => ({ hangsAt: 'recipient' });
    const silent = network.dispatcher(network.sender(500));
    expect(await silent.begin()).toBe(1);
    await webhooks.drain();
    expect(receiver.types).toContain('reward.claimable');
    expect(await silent.begin()).toBe(0);
    await silent.idle();
    expect(network.server.taken).toEqual([]);
  });

  it('runs in loops that stop, next to the publisher', async () => {
    await network.confirm(ANN, MAIL);
    const { deployment, publicUrl, logger, keys } = network.fixture.deps;
    const common = { pool: network.pool, log: logger, clock: () => network.now };
    const publisher = await runPublisher(
      { ...common, deployment: { ...deployment, publicUrl } },
      20,
    );
    const mails = runMail(
      {
        ...common,
        ...{ keys, publicUrl, chainId: CHAIN_ID, sender: network.sender(), random: Math.random },
      },
      20,
    );
    await settleHistory();
    await network.makeSafe();
    await waitFor(() => network.server.taken.length > 0, { what: 'a mail' });
    await Promise.all([mails.stop(), publisher.stop()]);
    const text = network.server.taken.map(({ parsed }) => parsed.text).join('');
    expect(text.match(/^- /gm)?.length).toBeGreaterThan(0);
  });

  it('sends at most ten mails an hour, and then one with what is left', async () => {
    await network.confirm(ANN, MAIL);
    const invite = async (count: number) => {
      await network.pool`
        insert into commerce.service_event (type, accounts, campaign_id, subject_id)
        select 'invitation.received', ${[account(1_000), ANN]}, 1, 'i-' || n
        from generate_series(1, ${count}::int) n`;
    };
    for (let i = 0; i < 12; i += 1) {
      await invite(1);
      await network.drain();
    }
    expect(network.server.taken).toHaveLength(10);
    await invite(40);
    await network.drain();
    expect(network.server.taken).toHaveLength(10);
    network.now += HOUR_MS + 1_000;
    await network.drain();
    expect(network.server.taken).toHaveLength(11);
    const last = network.server.taken[10]?.parsed;
    expect(last?.subject).toBe('42 notifications');
    expect(last?.text?.match(/^- /gm)).toHaveLength(20);
    expect(last?.text).toContain('and 22 more: https://shop.example/v1/me/notifications');
  });

  it('writes no symbol of a token that says more than a symbol', async () => {
    await network.confirm(account(15), MAIL);
    await settleHistory();
    await network.makeSafe();
    await network.drain();
    // Its symbol is 50%_OFF.
    const text = network.server.taken[0]?.parsed.text ?? '';
    expect(text).not.toContain('OFF');
    expect(text).toContain(`0.2 of token ${account(1)}`);
  });

  it('forgets what is older than 30 days, and never sends it again', async () => {
    await network.confirm(ANN, MAIL);
    await settleHistory();
    await network.makeSafe();
    await network.drain();
    expect(network.server.taken).toHaveLength(1);
    const later = new Date(network.now + 31 * 24 * HOUR_MS);
    while ((await deleteOldMails(network.pool, later)) > 0);
    const rows = await network.pool`
      select 1 from commerce.mail union all select 1 from commerce.mail_confirmation
      union all select 1 from commerce.mail_item`;
    expect(rows).toHaveLength(0);
    await network.pool`update ledger.head set stream_epoch = 'another'`;
    network.now = later.getTime();
    await network.drain();
    expect(network.server.taken).toHaveLength(1);
  });
});
