import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../engine/cli/stack/processes.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { Dispatcher } from '../../../engine/jobs/webhooks/dispatch.ts';
import { type SendRequest, WebhookSender } from '../../../engine/jobs/webhooks/send.ts';
import { webhookHeaders } from '../../../engine/jobs/webhooks/sign.ts';
import { newWebhookSecret } from '../../../engine/secrets/webhook-secret.ts';
import { createTable, type Shop, shipOrders, shopServer } from '../../../examples/shop.ts';
import { keyOf } from '../../http/support/api-keys.ts';
import { chainOf } from '../../http/support/chain-of-facts.ts';
import { BUYER, DisputeFixture, MERCHANT } from '../../http/support/dispute-fixture.ts';
import { WebhookNetwork } from '../../http/support/webhook-network.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { hash } from '../../support/history.ts';

const TARGETS = { allowCidrs: [], allowLoopback: true } as const;
/** Scopes of the shop's key. Receipts are public, so they need none. */
const SCOPES = ['disputes.read', 'disputes.write'];
const keyOfSale = (saleId: string) => hash(`order ${saleId}`);

/** The shop of docs/use/integrate.md with a database of its own, and the service that sends it webhooks over HTTP. */
class ShopFixture {
  /** Order keys that the carrier got, in the order of shipping. */
  readonly shipped: string[] = [];
  /** Every request that was sent to the shop. */
  readonly requests: SendRequest[] = [];
  readonly #sender = new WebhookSender(TARGETS);
  readonly #network: WebhookNetwork;

  private constructor(
    readonly sales: DisputeFixture,
    readonly shop: Shop,
    private readonly server: Server,
    private readonly database: TestDatabase,
  ) {
    this.#network = new WebhookNetwork(sales.fixture, Date.now());
  }

  static async open(events: string[]): Promise<ShopFixture> {
    const sales = await DisputeFixture.open({
      enabled: new Set(['apiKeys', 'team', 'webhooks']),
      webhookTargets: TARGETS,
    });
    const database = await createTestDatabase({ empty: true });
    const sql = postgres(database.url, { max: 2 });
    await createTable(sql);
    const apiKey = await keyOf(sales.fixture, MERCHANT, { scopes: SCOPES });
    const { client } = chainOf(sales.history.facts);
    const api = sales.fixture.client({ client }, undefined, { apiKey });
    const shop: Shop = { sql, api, campaignId: '1', secret: newWebhookSecret() };
    const server = shopServer(shop);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${Object(server.address()).port}/`;
    const merchant = await sales.fixture.signingClientAs(MERCHANT);
    shop.secret = (await merchant.webhooks.create({ url, events })).data.secret;
    return new ShopFixture(sales, shop, server, database);
  }

  get #pool(): Pool {
    return this.sales.fixture.pool;
  }

  /** Sends everything that has happened, and waits for the answers. */
  async deliver(): Promise<void> {
    await this.#network.publish();
    const { keys, logger } = this.sales.fixture.deps;
    const send = (request: SendRequest) => {
      this.requests.push(request);
      return this.#sender.send(request);
    };
    const dispatcher = new Dispatcher({
      ...{ pool: this.#pool, keys, sender: { send }, log: logger },
      ...{ clock: Date.now, random: () => 0.5 },
    });
    while ((await dispatcher.begin()) > 0) await dispatcher.idle();
  }

  /** Sends a request. @returns the status of the answer. */
  async statusOf(request: SendRequest): Promise<number | undefined> {
    const outcome = await this.#sender.send(request);
    return outcome.kind === 'answered' ? outcome.status : undefined;
  }

  /** Delivers again everything that was delivered. @returns the statuses of the answers. */
  async repeatAll(): Promise<(number | undefined)[]> {
    return await Promise.all(this.requests.map((request) => this.statusOf(request)));
  }

  async finalizeBlocks(): Promise<void> {
    await this.#pool`update ledger.head set finalized_number = settled_number`;
  }

  /** Announces that a reorg removed the last event of campaign 1, or that it is back. */
  async changeLastEvent(kind: 'retracted' | 'settled'): Promise<void> {
    await this.#pool`
      insert into ledger.change (sequence, campaign_id, kind, from_seq, to_seq)
      select head.sequence + 1, 1, ${kind}, newest.seq, newest.seq from ledger.head,
        (select max(seq) as seq from ledger.journal where campaign_id = 1) newest`;
    await this.#pool`update ledger.head set sequence = sequence + 1`;
  }

  async ship(): Promise<void> {
    await shipOrders(this.shop, async (orderKey) => {
      this.shipped.push(orderKey);
    });
  }

  /** States of the orders, by sale id. */
  async states(): Promise<Record<string, string>> {
    const rows = await this.shop.sql`select sale_id, state from shop_order order by sale_id::int`;
    return Object.fromEntries(rows.map(({ sale_id, state }) => [sale_id, state]));
  }

  /** The buyer opens a dispute about a sale. @returns its id. */
  async dispute(saleId: string): Promise<string> {
    const { fixture } = this.sales;
    const buyer = await fixture.clientAs(BUYER);
    const { chainId } = fixture.deps.deployment;
    const dispute = { chainId, saleId, reason: 'not_received', message: 'Where is it?' } as const;
    return (await buyer.disputes.open(dispute)).data.id;
  }

  async close(): Promise<void> {
    await this.#sender.close();
    this.server.close();
    await this.shop.sql.end();
    await this.database.drop();
    await this.sales.fixture.close();
  }
}

describe('docs/use/integrate.md', () => {
  it('leads to the program that these tests run', async () => {
    const page = await readFile(join(projectRoot, 'docs', 'use', 'integrate.md'), 'utf8');
    expect(page).toContain('(../../examples/shop.ts)');
  });
});

describe('the shop of docs/use/integrate.md', () => {
  let scene: ShopFixture;
  afterEach(() => scene.close());

  it('ships each finalized sale of its campaign once, even if every webhook arrives twice', async () => {
    scene = await ShopFixture.open(['sale.recorded@finalized', 'dispute.opened']);
    const sold = [await scene.sales.sell('1'), await scene.sales.sell('1')];
    await scene.sales.sell('3');
    await scene.deliver();
    expect(scene.requests).toEqual([]);

    await scene.finalizeBlocks();
    await scene.deliver();
    expect(scene.requests).toHaveLength(3);
    expect(await scene.repeatAll()).toEqual([204, 204, 204]);
    await scene.ship();
    expect(await scene.repeatAll()).toEqual([204, 204, 204]);
    await scene.ship();
    expect(scene.shipped.sort()).toEqual(sold.map(keyOfSale).sort());
    expect(await scene.states()).toEqual({ 1: 'shipped', 2: 'shipped' });
  });

  it('answers 401 to a webhook that is signed with another secret, and stores nothing', async () => {
    scene = await ShopFixture.open(['sale.recorded']);
    await scene.sales.sell();
    await scene.deliver();
    await scene.shop.sql`delete from shop_order`;
    const [request] = scene.requests;
    if (request === undefined) throw new Error('Nothing was sent.');
    const { body } = request;
    const signed = { id: 'evt_1', timestamp: new Date(), body, secrets: [newWebhookSecret()] };
    expect(await scene.statusOf({ ...request, headers: webhookHeaders(signed) })).toBe(401);
    expect(await scene.statusOf({ ...request, body: body.replace('"1"', '"2"') })).toBe(401);
    expect(await scene.states()).toEqual({});
    expect(await scene.statusOf(request)).toBe(204);
    expect(await scene.states()).toEqual({ 1: 'waiting' });
  });

  it('ships nothing for a retracted sale, and one order if the sale is back, also if that repeats', async () => {
    scene = await ShopFixture.open(['sale.recorded']);
    await scene.sales.sell();
    await scene.deliver();
    await scene.changeLastEvent('retracted');
    await scene.deliver();
    expect(await scene.states()).toEqual({ 1: 'retracted' });
    await scene.ship();
    expect(scene.shipped).toEqual([]);

    await scene.changeLastEvent('settled');
    await scene.deliver();
    await scene.ship();
    await scene.repeatAll();
    await scene.changeLastEvent('retracted');
    await scene.deliver();
    await scene.changeLastEvent('settled');
    await scene.deliver();
    await scene.ship();
    // The event, its retraction, and the same again under new ids.
    expect(new Set(scene.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
    expect(scene.shipped).toEqual([keyOfSale('1')]);
  });

  it('skips a sale whose receipt is of another block than the webhook', async () => {
    scene = await ShopFixture.open(['sale.recorded']);
    await scene.sales.sell();
    await scene.deliver();
    await scene.shop.sql`delete from shop_order`;
    await scene.sales.fixture.pool`
      update ledger.journal set block_hash = ${hash('another block')} where name = 'SaleRecorded'`;
    expect(await scene.repeatAll()).toEqual([204]);
    expect(await scene.states()).toEqual({});
  });

  it('answers each dispute once: stops an order that waits, and declines for one that was shipped', async () => {
    scene = await ShopFixture.open(['sale.recorded', 'dispute.opened']);
    const shipped = await scene.sales.sell();
    await scene.deliver();
    await scene.ship();
    const waiting = await scene.sales.sell();
    await scene.deliver();
    const [declined, stopped] = [await scene.dispute(shipped), await scene.dispute(waiting)];
    await scene.deliver();
    await scene.repeatAll();
    await scene.ship();

    const { api } = scene.shop;
    expect((await api.disputes.get({ id: declined })).data).toMatchObject({
      status: 'declined',
      declineReason: 'The order was shipped.',
    });
    expect((await api.disputes.get({ id: stopped })).data).toMatchObject({
      status: 'open',
      messages: [{ from: 'buyer' }, { from: 'merchant', text: expect.stringContaining('stopped') }],
    });
    expect(await scene.states()).toEqual({ 1: 'shipped', 2: 'stopped' });
    expect(scene.shipped).toEqual([keyOfSale(shipped)]);
  });

  it('lets the service repeat a dispute that arrives before its sale', async () => {
    scene = await ShopFixture.open(['sale.recorded@finalized', 'dispute.opened']);
    const id = await scene.dispute(await scene.sales.sell());
    await scene.deliver();
    expect(await scene.repeatAll()).toEqual([500]);
    await scene.finalizeBlocks();
    await scene.deliver();
    await scene.repeatAll();
    expect((await scene.shop.api.disputes.get({ id })).data.messages).toHaveLength(2);
    expect(await scene.states()).toEqual({ 1: 'stopped' });
  });
});
