import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { account, hash } from '../support/history.ts';
import { type LongRunningCli, startCli } from '../support/long-running-cli.ts';
import { runHere } from '../support/run-cli.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const BUYER = account(500);

describe('tributary listen', () => {
  const history = new HistoryBuilder();
  let fixture: ApiFixture;
  let ledger: SettleFixture;
  let server: ApiServer;
  let receiver: WebhookReceiver;
  let indexed = 0;
  let sales = 0;
  const running: LongRunningCli[] = [];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    ledger = new SettleFixture(fixture.pool);
    for (const campaignId of ['1', '2']) {
      history.create(campaignId);
      history.schedule(campaignId);
      history.fund(campaignId, 10_000_000n);
    }
    await settleNew();
    server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.open();
  });
  afterEach(async () => {
    for (const cli of running.splice(0)) await cli.stop();
    await receiver.close();
  });
  afterAll(async () => {
    await server.stop();
    await fixture.close();
  });

  /** Starts the command, and waits until it follows the stream. */
  async function listenWith(...args: string[]): Promise<LongRunningCli> {
    const { url, secret } = receiver;
    const cli = startCli([
      ...['listen', '--forward-to', url, '--secret', secret, '--url', server.url, '--json'],
      ...args,
    ]);
    running.push(cli);
    await waitFor(() => cli.lines().some(({ kind }) => kind === 'open'), {
      what: 'the stream to be open',
    });
    return cli;
  }

  async function settleNew(finalized = 0): Promise<void> {
    await ledger.index(history.facts.slice(indexed), { finalized });
    indexed = history.facts.length;
    await ledger.settle();
  }

  /** Settles a block with a sale without a link. @returns the sale's id. */
  async function sell(campaignId = '1', buyer = BUYER): Promise<string> {
    history.nextBlock();
    sales += 1;
    history.sell(campaignId, String(sales), { buyer, pool: 0n, shares: [] });
    await settleNew();
    return String(sales);
  }

  /** Replaces the newest block by one with the same events. */
  async function replaceNewest(name: string): Promise<void> {
    const { blockNumber } = history.facts.at(-1) ?? { blockNumber: 0 };
    const at = history.facts.findIndex((fact) => fact.blockNumber === blockNumber);
    const change = (fact: Fact) => ({ ...fact, blockHash: hash(`${name} ${blockNumber}`) });
    const replaced = history.facts.splice(at).map(change);
    history.facts.push(...replaced);
    await ledger.index(replaced);
    await ledger.settle();
  }

  async function finalizeAll(): Promise<void> {
    const head = { number: history.block, timestamp: history.time };
    await ledger.table.setHead(head, head);
    await ledger.settle();
  }

  it('forwards each settled event as a signed webhook, and prints each attempt', async () => {
    const cli = await listenWith();
    const sale = await sell();
    const [first] = await receiver.untilReceived(1);
    const fact = history.facts.at(-1);
    expect(first?.message).toMatchObject({
      type: 'sale.recorded',
      timestamp: new Date(history.time * 1_000).toISOString(),
      data: {
        campaignId: '1',
        saleId: sale,
        amount: '1000000',
        accounts: [BUYER],
        finality: 'pending',
        retracts: null,
        chain: { blockNumber: String(history.block), blockHash: fact?.blockHash, logIndex: 0 },
      },
    });
    const self = await fetch(first?.message.data.links.self ?? '');
    expect(self.status).toBe(200);
    await waitFor(() => cli.lines().some(({ kind }) => kind === 'attempt'), { what: 'its line' });
    expect(cli.lines().find(({ kind }) => kind === 'attempt')).toMatchObject({
      ...{ type: 'sale.recorded', eventId: first?.id, campaignId: '1', saleId: sale },
      ...{ attempt: 1, status: 204, reason: null },
    });
    expect(receiver.malformed).toEqual([]);
  });

  it('forwards only the events, campaigns and accounts that were named', async () => {
    await listenWith('--events', 'sale.*,node.joined', '--campaign', '2', '--account', BUYER);
    await sell('1');
    await sell('2', account(501));
    history.nextBlock();
    history.fund('2', 5n);
    const sale = await sell('2');
    await receiver.untilReceived(1);
    expect(receiver.types).toEqual([`sale.recorded ${sale}`]);
  });

  it('retracts what was forwarded after a reorg, and forwards what came instead', async () => {
    await listenWith();
    const sale = await sell();
    const [first] = await receiver.untilReceived(1);
    await replaceNewest('another');
    const [, ...rest] = await receiver.untilReceived(3);
    expect(receiver.types.slice(1)).toEqual([
      `sale.recorded.retracted ${sale}`,
      `sale.recorded ${sale}`,
    ]);
    expect(rest[0]?.message.data).toMatchObject({
      ...{ retracts: first?.id, eventId: `${first?.id}_retracted` },
      chain: { blockHash: first?.message.data.chain?.blockHash },
    });
    expect(rest[1]?.message.data.chain?.blockHash).toBe(history.facts.at(-1)?.blockHash);
    expect(rest[1]?.id).not.toBe(first?.id);
  });

  it('waits until a block is final if it is asked to, and never sends what a reorg removed', async () => {
    await listenWith('--events', '*@finalized,policy.scheduled');
    const sale = await sell();
    await replaceNewest('final');
    // It is sent immediately, so that nothing before it is on its way.
    history.nextBlock();
    history.schedule('1', {}, { version: 2 });
    await settleNew();
    await receiver.untilReceived(1);
    expect(receiver.types).toEqual(['policy.scheduled null']);
    await finalizeAll();
    const [, second] = await receiver.untilReceived(2);
    expect(receiver.types.slice(1)).toEqual([`sale.recorded ${sale}`]);
    expect(second?.message.data).toMatchObject({
      finality: 'finalized',
      chain: { blockHash: history.facts.at(-2)?.blockHash },
    });
  });

  it('repeats a delivery that the receiver does not accept, with the same id, and then the next', async () => {
    const cli = await listenWith();
    receiver.answers.push(500, 302);
    const [one, two] = [await sell(), await sell()];
    const received = await receiver.untilReceived(4);
    expect(new Set(received.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    expect(receiver.types).toEqual([
      ...Array.from({ length: 3 }, () => `sale.recorded ${one}`),
      `sale.recorded ${two}`,
    ]);
    await waitFor(() => cli.lines().filter(({ kind }) => kind === 'attempt').length === 4, {
      what: 'four lines',
    });
    expect(
      cli
        .lines()
        .filter(({ kind }) => kind === 'attempt')
        .map(({ attempt, status }) => [attempt, status]),
    ).toEqual([
      [1, 500],
      [2, 302],
      [3, 204],
      [1, 204],
    ]);
  });

  it('cancels retries of what is retracted meanwhile', async () => {
    await listenWith();
    receiver.answers.push(500, 500, 500, 500);
    const sale = await sell();
    const [refused] = await receiver.untilReceived(1);
    await replaceNewest('cancelled');
    receiver.answers.splice(0);
    const accepted = await waitFor(() => receiver.received.find(({ id }) => id !== refused?.id), {
      what: 'the event of the other block',
    });
    expect(accepted.message).toMatchObject({
      type: 'sale.recorded',
      data: { saleId: sale, chain: { blockHash: history.facts.at(-1)?.blockHash } },
    });
  });

  it('ends cleanly on Ctrl-C, and resumes with what was not delivered', async () => {
    const cli = await listenWith();
    const one = await sell();
    await receiver.untilReceived(1);
    receiver.answers.push(...Array.from({ length: 4 }, () => 503));
    const two = await sell();
    await receiver.untilReceived(2);
    expect(await cli.stop()).toBe(0);
    receiver.answers.splice(0);
    const { resumeFrom } = cli.lines().at(-1) ?? {};
    expect(cli.lines().at(-1)).toMatchObject({ kind: 'stopped' });
    const three = await sell();
    await listenWith('--from', String(resumeFrom));
    await waitFor(() => receiver.types.includes(`sale.recorded ${three}`), { what: 'the third' });
    // The second was tried before, and is delivered now.
    expect(receiver.types.length).toBeGreaterThanOrEqual(4);
    expect([...new Set(receiver.types)]).toEqual(
      [one, two, three].map((id) => `sale.recorded ${id}`),
    );
  });

  it('resumes after the API was away, without a gap and without repeating', async () => {
    await listenWith();
    const one = await sell();
    await receiver.untilReceived(1);
    const port = Number(new URL(server.url).port);
    await server.stop();
    const two = await sell();
    server = await serveApi({ ...fixture.deps, port, host: '127.0.0.1' });
    const three = await sell();
    await receiver.untilReceived(3);
    expect(receiver.types).toEqual([one, two, three].map((id) => `sale.recorded ${id}`));
  });

  it('warns if it cannot resume, and forwards new events', async () => {
    const cli = await listenWith('--from', '00000000-1');
    await waitFor(() => cli.stderr().includes('The service does not know that id'), {
      what: 'the warning',
    });
    const sale = await sell();
    await receiver.untilReceived(1);
    expect(receiver.types).toEqual([`sale.recorded ${sale}`]);
  });

  it('rejects events that do not exist or are not on the chain, and other wrong arguments', async () => {
    const to = ['listen', '--forward-to', receiver.url];
    for (const [args, message] of [
      [[...to, '--events', 'sale.sold'], '"sale.sold" is not the name of an event'],
      [[...to, '--events', 'sale.*,dispute.opened'], '"dispute.opened" is not an event of the'],
      [[...to, '--secret', 'whsec_c2hvcnQ='], '24 to 64 bytes as base64'],
      [['listen', '--forward-to', 'localhost:3000'], 'is not an http or https address'],
      [['listen'], "required option '--forward-to <url>'"],
    ] as const) {
      const { code, stderr } = await runHere(args);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    }
    const away = await runHere([...to, '--url', 'http://127.0.0.1:1']);
    expect(away.code).toBe(3);
  });
});
