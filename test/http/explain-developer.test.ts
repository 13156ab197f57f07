import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { optionalResources } from '../../engine/contract/registry.ts';
import { deleteOldUsage } from '../../engine/db/commerce/api-key-usage.ts';
import { acceptInvitations } from '../../engine/db/commerce/team.ts';
import { reclaimLost } from '../../engine/db/commerce/webhook-dispatch.ts';
import {
  deleteOldEvents,
  deleteOldServiceEvents,
  retractEvents,
} from '../../engine/db/commerce/webhook-outbox.ts';
import { openPool } from '../../engine/db/connection.ts';
import { createApi } from '../../engine/http/app.ts';
import { Dispatcher } from '../../engine/jobs/webhooks/dispatch.ts';
import { publishEvents } from '../../engine/jobs/webhooks/publish.ts';
import { resealSecrets } from '../../engine/jobs/webhooks/reseal.ts';
import { seal } from '../../engine/secrets/seal.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { keyOf } from './support/api-keys.ts';
import { confirmed } from './support/confirmed.ts';
import { signedIn } from './support/session.ts';
import { smallHistory } from './support/small-history.ts';
import { type PlanNode, type Statement, StatementLog } from './support/statements.ts';

/** Has a team, keys, and endpoints with deliveries. */
const MERCHANT = account(1_000);
const ENDPOINT = 'e1';

/** Tables that no statement may scan. */
const TABLES =
  /^(team_member|api_key|api_key_hour|api_key_request|audit_entry|webhook_(endpoint|event|delivery|attempt)|service_event)$/;

/** Statements about every endpoint: publishing needs all subscriptions, and deleting events moves the start of all. */
const OF_ALL_ENDPOINTS =
  /from commerce\.webhook_endpoint\s+where enabled$|update commerce\.webhook_endpoint\s+set after_block/;

/** Tables of those above that a plan scans. */
function scannedTables(node: PlanNode): string[] {
  const table = node['Relation Name'] ?? '';
  const own = node['Node Type'] === 'Seq Scan' && TABLES.test(table) ? [table] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedTables)];
}

describe('the statements of teams, API keys, the audit log and webhooks', () => {
  let fixture: ApiFixture;
  let log: StatementLog;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
    await fixture.settle(smallHistory().history.facts);
    await fill(fixture);
    const { merchants } = await fixture.clientAs(MERCHANT);
    await merchants.setup({ slug: 'explained', name: 'Explained' });
    log = new StatementLog(fixture);
  }, 120_000);
  afterAll(async () => {
    await log?.pool.end();
    await fixture.close();
  });

  /** Explains what was sent to the tables. @returns the statements with the tables that they scan. */
  async function scans(): Promise<[text: string, tables: string[]][]> {
    const found: [string, string[]][] = [];
    const own = log.sent.splice(0).filter(({ text }) => isOfTables(text));
    expect(own).not.toEqual([]);
    // Each text once: a dispatcher sends the same statements for each of its deliveries.
    const distinct = new Map(own.map((statement) => [statement.text, statement]));
    for (const statement of distinct.values()) {
      const isOfAll = OF_ALL_ENDPOINTS.test(statement.text.trim());
      const tables = (await log.explain(statement))
        .flatMap(scannedTables)
        .filter((table) => !(isOfAll && table === 'webhook_endpoint'));
      if (tables.length > 0) found.push([statement.text, tables]);
    }
    return found;
  }

  function isOfTables(text: Statement['text']): boolean {
    const named = [...text.matchAll(/\bcommerce\.(\w+)/g)].map(([, table = '']) => table);
    return named.some((table) => TABLES.test(table));
  }

  const pathsOfReads = [
    ...['/v1/me/merchants', '/v1/merchant/team', '/v1/merchant/team/audit?limit=100'],
    ...['/v1/developer/keys', '/v1/developer/webhooks'],
    `/v1/developer/webhooks/${ENDPOINT}/deliveries?limit=100`,
    '/v1/developer/webhooks/deliveries/d1',
  ];

  it.each(pathsOfReads)('%s uses an index', async (path) => {
    const { reading } = await signedIn(fixture.deps, MERCHANT);
    log.sent.length = 0;
    const app = fixture.app({ pool: log.pool });
    expect((await app.request(path, { headers: reading })).status).toBe(200);
    expect(await scans()).toEqual([]);
  });

  it('the next pages of deliveries and of the audit log use an index', async () => {
    const { csrfToken, reading } = await signedIn(fixture.deps, MERCHANT);
    const session = { csrfToken, cookie: reading.cookie };
    const { webhooks, team } = fixture.client({ pool: log.pool }, session);
    const deliveries = (await webhooks.deliveries({ id: ENDPOINT, limit: 2 })).data;
    const audit = (await team.audit({ limit: 2 })).data;
    log.sent.length = 0;
    await webhooks.deliveries({ id: ENDPOINT, limit: 2, cursor: deliveries.nextCursor ?? '' });
    await team.audit({ limit: 2, cursor: audit.nextCursor ?? '' });
    expect(await scans()).toEqual([]);
  });

  it('a request with a key, its usage and what manages it use an index', async () => {
    const key = await keyOf(fixture, MERCHANT, { scopes: ['earnings.read'] });
    log.sent.length = 0;
    const { app, usage } = createApi({ ...fixture.deps, pool: log.pool });
    const headers = { authorization: `Bearer ${key}` };
    expect((await app.request('/v1/me/earnings', { headers })).status).toBe(200);
    await usage.flush();
    const { client, confirmationToken } = await confirmedClient();
    const [first] = (await client.apiKeys.list()).data;
    const id = first?.id ?? '';
    await client.apiKeys.usage({ id, campaignIds: ['1'] });
    await client.apiKeys.create({ name: 'x', scopes: ['earnings.read'], confirmationToken });
    await client.apiKeys.rotate({ id, confirmationToken });
    await client.apiKeys.revoke({ id });
    await deleteOldUsage(log.pool as never, new Date());
    expect(await scans()).toEqual([]);
  });

  it('the changes of a team use an index', async () => {
    const { client, confirmationToken } = await confirmedClient();
    const guest = account(9_999);
    const invited = client.team.invite({ address: guest, role: 'viewer', confirmationToken });
    const { id } = (await invited).data;
    await client.team.updateRole({ id, role: 'analyst', confirmationToken });
    await acceptInvitations(log.pool as never, guest, new Date());
    await client.team.remove({ id });
    expect(await scans()).toEqual([]);
  });

  it('the changes of an endpoint and its deliveries use an index', async () => {
    const { client, confirmationToken } = await confirmedClient();
    const { webhooks } = client;
    const url = 'https://hooks.example/';
    const { id } = (await webhooks.create({ url, events: ['*'], confirmationToken })).data;
    await webhooks.update({ id, ordered: true, confirmationToken });
    await webhooks.rotateSecret({ id, confirmationToken });
    await webhooks.test({ id });
    await webhooks.replay({ id: 'd1' });
    const range = { from: '2020-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' };
    await webhooks.replayRange({ id: ENDPOINT, range });
    await webhooks.remove({ id });
    expect(await scans()).toEqual([]);
  });

  it('publishing, retracting, sending and forgetting use an index', async () => {
    const { deps } = fixture;
    const pool = log.pool as never;
    log.sent.length = 0;
    const deployment = { ...deps.deployment, publicUrl: deps.publicUrl };
    await publishEvents({ pool, deployment, clock: Date.now, log: deps.logger });
    expect(log.sent.some(({ text }) => text.includes('insert into commerce.webhook_event'))).toBe(
      true,
    );
    await log.pool.begin((sql) =>
      retractEvents(sql as never, { campaignId: '1', afterSeq: 2 }, new Date()),
    );
    for (const status of [204, 500]) {
      const dispatcher = new Dispatcher({
        ...{ pool, keys: deps.keys, clock: Date.now, random: () => 0.5, log: deps.logger },
        sender: {
          send: async () => ({
            ...{ kind: 'answered', status, retryAfterSeconds: null, excerpt: '', ms: 1 },
          }),
        },
      });
      expect(await dispatcher.begin()).toBeGreaterThan(0);
      await dispatcher.idle();
    }
    await reclaimLost(pool, new Date(), { leaseMs: 60_000, maxAttempts: 10 });
    await resealSecrets(pool, deps.keys);
    await deleteOldEvents(pool, new Date());
    await deleteOldServiceEvents(pool, new Date());
    expect(await scans()).toEqual([]);
  }, 180_000);

  /** A client of the merchant with a fresh signature, whose statements are recorded from now on. */
  async function confirmedClient() {
    const found = await confirmed(fixture, MERCHANT, { pool: log.pool });
    log.sent.length = 0;
    return found;
  }
});

/** Fills the tables with enough for an index to be worth it: 400 accounts, most of them not the merchant's. */
async function fill({ databaseUrl, deps }: ApiFixture): Promise<void> {
  // The pool of requests gives up a statement that takes long.
  const pool = openPool(databaseUrl, { max: 1 });
  const secret = Buffer.from(seal('whsec_c2VjcmV0', deps.keys, 'webhook secret'));
  const owner = (n: string) =>
    pool`case when ${pool.unsafe(n)} % 400 = 1 then ${MERCHANT}::text
      else '0x' || lpad(to_hex(${pool.unsafe(n)} % 400), 40, '0') end`;
  await pool`
    insert into commerce.team_member
      (id, merchant, account, role, status, invited_at, joined_at)
    select 't' || n, ${owner('n')}, '0x' || lpad(to_hex(100000 + n), 40, '0'), 'viewer', 'active',
      now(), now()
    from generate_series(1, 8000) n`;
  await pool`
    insert into commerce.api_key
      (id, account, merchant, name, hash, prefix, scopes, addresses, created_at)
    select lpad(n::text, 10, '0'), ${owner('n')}, ${owner('n')}, 'A key',
      sha256(n::text::bytea), 'tby_test', '{orders.read}', '{}', now() - n * interval '1 second'
    from generate_series(1, 8000) n`;
  await pool`
    insert into commerce.api_key_hour
    select id, date_trunc('hour', now()) - h * interval '1 hour', '2xx', '1', 5
    from commerce.api_key, generate_series(1, 5) h`;
  await pool`
    insert into commerce.api_key_request
      (key_id, at, method, path, campaign_id, request_id, status, latency_ms)
    select id, now(), 'GET', '/', '1', 'r', 200, 1 from commerce.api_key, generate_series(1, 5)`;
  await pool`
    insert into commerce.audit_entry
      (merchant, number, id, at_ms, actor, role, resource, action, before_hash, after_hash)
    select ${owner('n')}, 1 + n / 400, 'a' || n, 1, 'x', 'owner', 'r:1', 'team.invite', null, null
    from generate_series(1, 8000) n`;
  await pool`
    insert into commerce.audit_head
    select merchant, max(number), 'a' from commerce.audit_entry group by merchant`;
  await pool`
    insert into commerce.webhook_endpoint
      (id, owner, url, events, secret, after_block, created_at)
    select 'e' || n, ${owner('n')}, 'https://hooks.example/', '{*}', ${secret}, -1, now()
    from generate_series(1, 4000) n`;
  await pool`
    insert into commerce.webhook_event
      (id, type, campaign_id, seq, block_number, block_hash, log_index, body, at, stored_at)
    select 'evt_' || n, 'sale.recorded', 100 + n % 500, n, n, 'h' || n, 0,
      '{"type": "sale.recorded", "data": {"links": {"self": "x"}}}',
      now() - interval '1 hour', now() - n * interval '3 minutes'
    from generate_series(1, 8000) n`;
  // One in 20 is queued, one in 20 waits for its block, and one in 200 is being sent.
  await pool`
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, campaign_id, block_number,
      finality, status, attempt, next_attempt_at, lease_until, created_at)
    select 'd' || n, 'e' || (1 + (n - 1) % 4000), 1 + n / 2, 100 + (1 + n / 2) % 500, 1 + n / 2,
      'finalized', status, 1, case when status = 'queued' then
        case when n % 40 = 0 then 'infinity'::timestamptz else now() end end,
      case when status = 'sending' then now() + n * interval '1 millisecond' end,
      now() - n * interval '1 second'
    from generate_series(1, 15000) n
    cross join lateral (select case when n % 200 = 7 then 'sending' when n % 20 = 0 then 'queued'
      when n % 20 = 1 then 'failed' else 'delivered' end as status) state`;
  await pool`
    insert into commerce.webhook_attempt (delivery_id, attempt, at, latency_ms, http_status)
    select id, 1, now(), 5, 204 from commerce.webhook_delivery
    where status <> 'sending'`;
  await pool`
    insert into commerce.service_event (type, accounts, subject_id, at)
    select 'report.ready', array['0x' || lpad(to_hex(n), 40, '0')], 'r', now()
    from generate_series(1, 8000) n`;
  await pool`
    analyze commerce.team_member, commerce.api_key, commerce.api_key_hour, commerce.api_key_request,
      commerce.audit_entry, commerce.audit_head, commerce.webhook_endpoint, commerce.webhook_event,
      commerce.webhook_delivery, commerce.webhook_attempt, commerce.service_event`;
  await pool.end();
}
