import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { closeMerchant } from '../../engine/db/commerce/close-merchant.ts';
import { cancelIntent } from '../../engine/db/commerce/intents.ts';
import { useNonce } from '../../engine/db/commerce/nonces.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { restoreLastSettled, settledNewestBy } from '../../engine/db/write/last-settled.ts';
import { encodeCursor } from '../../engine/http/input/cursor.ts';
import { ApiFixture, CHAIN_ID, clientWithoutSales } from './support/api-fixture.ts';
import { fillBigLedger } from './support/big-ledger.ts';
import { signedIn } from './support/session.ts';
import { isOfTables, type PlanNode, type Statement, StatementLog } from './support/statements.ts';
import { StreamWatch } from './support/stream-watch.ts';

const COUNT = 'Seq Scan on campaign';
const HASH = `0x${'cd'.repeat(32)}`;
/** Hash of the transaction of the event 14 of campaign 777. */
const HASH_IN_JOURNAL = `0x${(77_714).toString(16).padStart(8, '0').padEnd(64, '0')}`;

/** The period of nearly all sales, as a query has it. */
const IN_2023 = JSON.stringify({ from: '2023-01-01T00:00:00Z', to: '2023-12-01T00:00:00Z' });

/**
 * Tables of one row, of a row of each error or alarm, of a few hundred audits, or of the rollbacks that
 * the next tick publishes.
 */
const SINGLE = new Set([
  ...[
    'head',
    'finality_tag',
    'deployment',
    'feeder_error',
    'rpc_health',
    'audit',
    'stale_publication',
  ],
  ...['audit_finding', 'refused_campaign'],
]);

/** Holds stopped campaigns alone, which a read names all of: nearly always none. */
const STOPPED = 'cursor_stopped_campaign';

/** Partners of a large merchant; any other one has 26. */
const MANY_PARTNERS = 20_000;

/** Gives a merchant very many partners, whose rows lie anywhere in the table. */
async function fillPartnersOf(pool: Pool, merchant: string): Promise<void> {
  await pool`
    insert into ledger.merchant_partner (merchant, account, links, settled, first_link_at)
    select ${merchant}, ledger.bytes_of('0x' || lpad(to_hex(16777216 + n * 7919 % ${MANY_PARTNERS}::int), 40, '0')),
      1, n * 7 % 1009, 1700000000 + n
    from generate_series(1, ${MANY_PARTNERS}::int) n
    on conflict do nothing`;
  await pool`vacuum (analyze) ledger.merchant_partner`;
}

/** Indexes that are read in their order until a limit is reached. */
function limitedScansIn(node: PlanNode, limited = false): string[] {
  const type = node['Node Type'];
  const own = limited && type === 'Index Scan' ? [node['Index Name'] ?? ''] : [];
  const below = limited || type === 'Limit';
  return [...own, ...(node.Plans ?? []).flatMap((plan) => limitedScansIn(plan, below))];
}

/** What reads a table of the ledger whole; a campaign list may count by its covering index. */
function wholeScans(node: PlanNode, limited = false): string[] {
  const type = node['Node Type'];
  const below = limited || type === 'Limit';
  const inner = (node.Plans ?? []).flatMap((plan) => wholeScans(plan, below));
  const table = node['Relation Name'] ?? '';
  const isLedger = node.Schema === 'ledger';
  if (!isLedger || SINGLE.has(table)) return inner;
  if (type === 'Seq Scan') return [`Seq Scan on ${table}`, ...inner];
  if (node['Index Name'] === STOPPED) return inner;
  const counting = table === 'campaign' && type === 'Index Only Scan';
  const bounded = below || counting || node['Index Cond'] !== undefined;
  const byIndex = type === 'Index Scan' || type === 'Index Only Scan';
  return byIndex && !bounded ? [`whole ${type} of ${node['Index Name']}`, ...inner] : inner;
}

describe('the statements that the routes send', () => {
  let fixture: ApiFixture;
  let log: StatementLog;
  let pool: StatementLog['pool'];
  /** Fills tables: the pool of requests gives up a statement that takes long. */
  let filling: ReturnType<typeof openPool>;
  let sent: Statement[];

  beforeAll(async () => {
    fixture = await ApiFixture.open({ client: clientWithoutSales, stallSeconds: 86_400 });
    filling = openPool(fixture.databaseUrl, { max: 2 });
    await fillBigLedger(filling);
    await refreshRanking(filling);
    log = new StatementLog(fixture);
    ({ pool, sent } = log);
    // It fills a large ledger, which takes minutes on a busy machine.
  }, 300_000);
  afterAll(async () => {
    await filling.end();
    await pool.end();
    await fixture.close();
  });

  const explain = (statement: Statement) => log.explain(statement);
  const planOf: StatementLog['planOf'] = (...parameters) => log.planOf(...parameters);

  async function scansIn(statement: Statement): Promise<string[]> {
    return (await explain(statement)).flatMap((plan) => wholeScans(plan));
  }

  /** The statements of one request that read tables. */
  async function readsOf(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly Statement[]> {
    sent.length = 0;
    const response = await fixture.app({ pool }).request(path, { headers });
    expect(response.status, path).toBe(200);
    return sent.filter(isOfTables);
  }

  /** The statements of one request, explained. */
  async function scansOf(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ statements: number; scans: string[] }> {
    const reads = await readsOf(path, headers);
    const scans = [];
    for (const statement of reads) scans.push(...(await scansIn(statement)));
    return { statements: reads.length, scans };
  }

  const lists = [
    ...['balanced', 'newest', 'reward', 'budget', 'hold'].map((sort) => `sort=${sort}`),
    ...['active', 'not_live', 'paused', 'ended', 'expired'].map((status) => `status=${status}`),
    ...['rateMin=3000', 'rateMax=110', 'levels=5', 'holdMax=70', 'budgetLeftMin=9999990'],
    ...['source=THIRD_PARTY_VERIFIED', 'source=NATIVE_ONCHAIN', 'invitationOnly=true'],
    ...['category=cat3', 'category=other', 'category=none', 'merchant=slug-7', 'merchant=nobody'],
    ...[`merchant=0x${'7'.padStart(40, '0')}`, 'q=title', 'q=merchant+7', 'q=tok1', 'q=4711'],
    ...[`q=0x${'2'.padStart(40, '0')}`, 'status=active&category=cat3&rateMin=2000&sort=hold'],
  ];

  it.each(lists)(
    'campaigns.list?%s sends no statement that scans a whole table of the ledger',
    async (query) => {
      // Nearly every campaign has no category: to count them by the index or by the table costs the same.
      const scans = query === 'category=other' ? expect.toBeOneOf([[], [COUNT]]) : [];
      const counted = { statements: 1, scans };
      for (const limit of [20, 100]) {
        const path = `/v1/campaigns?${query}&limit=${limit}`;
        expect(await scansOf(path)).toEqual(counted);
        const { data } = z
          .object({ data: z.object({ nextCursor: z.string().nullable() }) })
          .parse(await (await fixture.app().request(path)).json());
        if (data.nextCursor === null) continue;
        expect(await scansOf(`${path}&cursor=${data.nextCursor}`)).toEqual(counted);
      }
    },
  );

  const others: [string, number][] = [
    ['/v1/campaigns/777', 1],
    ['/v1/campaigns/777/policy', 1],
    ['/v1/campaigns/777/stats', 4],
    ['/v1/campaigns/777/activity?limit=100', 3],
    ['/v1/campaigns/777/checkout-preview?nodeId=90777', 4],
    [`/v1/campaigns/777/checkout-preview?skuHash=0x${'309'.padStart(64, '0')}&nodeId=0`, 3],
    ['/v1/products/p776', 4],
    [`/v1/products/${'b'.padStart(40, '0')}-${'0'.repeat(56)}`, 5],
    ['/v1/categories', 2],
    ['/v1/merchants?limit=100', 2],
    ['/v1/merchants?live=true&q=merchant', 2],
    ['/v1/merchants?live=false', 2],
    ['/v1/merchants/slug-7', 2],
    [`/v1/merchants/0x${'7'.padStart(40, '0')}`, 2],
    ['/v1/merchants/slug-7/record', 5],
    ['/v1/merchants/slug-7/offers?limit=100', 3],
    ['/v1/merchants/slug-7/offers?status=active&sort=budget', 3],
    [`/v1/receipts/${CHAIN_ID}/50777`, 1],
    // Its campaign has a discrepancy.
    [`/v1/receipts/${CHAIN_ID}/50776`, 2],
    [`/v1/receipts/${CHAIN_ID}/50777/events`, 3],
    [`/v1/receipts/${CHAIN_ID}/50777/verify`, 1],
    [`/v1/receipts/${CHAIN_ID}/50777/path`, 6],
    ['/v1/receipts', 1],
    ['/v1/receipts?limit=100', 1],
    [`/v1/receipts?buyer=0x${'7'.padStart(40, '0')}&limit=100`, 1],
    ['/v1/campaigns/777/sales?limit=100', 1],
    ['/v1/campaigns/777/sales?state=reversed&limit=100', 1],
    [`/v1/nodes/${CHAIN_ID}/90777/ancestry`, 1],
    ['/v1/links/90777', 5],
    [`/v1/referrals/${encodeReferralCode('90777')}`, 5],
    ['/v1/campaigns/777/graph?limit=100', 3],
    ['/v1/campaigns/777/graph?root=10777&depthMax=100&limit=100', 4],
    ['/v1/campaigns/777/graph/search?q=90777', 3],
    ['/v1/campaigns/777/graph/search?q=0x000&limit=100', 3],
    ['/v1/distributors?limit=100', 5],
    ['/v1/distributors?slot=new&category=cat3', 5],
    [`/v1/distributors/0x${'111'.padStart(40, '0')}`, 3],
    [`/v1/distributors/0x${'111'.padStart(40, '0')}/profile`, 3],
    ['/v1/system/status', 9],
    ['/v1/system/activity?days=1', 5],
    ['/v1/system/audit', 1],
    ['/v1/system/digest?limit=100', 2],
    ['/v1/system/digest?block=30&campaignId=777', 2],
    ['/v1/system/digest/777?limit=100&after=500', 4],
    [`/v1/transactions/${HASH_IN_JOURNAL}`, 2],
    ['/v1/blocks/5000?limit=100', 5],
    ['/v1/events?limit=100', 3],
    ['/v1/events?name=NodeJoined,SaleRecorded&limit=100', 3],
    ['/v1/events?campaignId=777,3&limit=100', 3],
    [`/v1/events?account=0x${'7'.padStart(40, '0')}`, 3],
    ['/v1/campaigns/777/policies?limit=100', 3],
    ['/v1/campaigns/777/prices?limit=100', 3],
    [`/v1/campaigns/777/prices?current=true&skuHash=${HASH}`, 3],
    ['/v1/campaigns/777/permissions?limit=100', 3],
    [`/v1/campaigns/777/permissions?role=attester&account=0x${'7'.padStart(40, '0')}`, 3],
    ['/v1/campaigns/777/entries?limit=100', 3],
    [`/v1/campaigns/777/entries?account=0x${'7c'.padStart(40, '0')}`, 3],
    ['/v1/campaigns/777/entries?saleId=50777', 3],
    [`/v1/accounts/0x${'7c'.padStart(40, '0')}/balances?limit=100`, 2],
    ['/v1/discrepancies?limit=100', 2],
    ['/v1/products/p776/versions', 2],
    ['/v1/products/p776/versions/1', 2],
    ['/v1/tokens?limit=100', 1],
    ['/v1/receipts?limit=100&order=oldest', 1],
    ['/v1/receipts?campaignId=777&order=lowest', 1],
    ['/v1/receipts?state=pending', 1],
    ['/v1/receipts?state=reversed', 1],
    ['/v1/receipts?paidMin=1&paidMax=2.5', 1],
    [`/v1/receipts?range=${encodeURIComponent(IN_2023)}`, 1],
    ['/v1/search?q=title&limit=20', 5],
    ['/v1/search?q=merchant+7', 5],
    ['/v1/search?q=777', 7],
    [`/v1/search?q=${encodeReferralCode('90777')}`, 6],
    ['/v1/search?q=titel', 5],
    [`/v1/search?q=0x${'7'.padStart(40, '0')}`, 2],
    ['/v1/search?q=0x0000', 4],
    ['/v1/search?q=0x00000000000000000000000000000000000000000000000000000000001', 3],
    [`/v1/search?q=${HASH}`, 4],
    ['/ready', 2],
    ['/ready?strict=1', 11],
  ];

  it.each(others)(
    '%s sends %i statements, none of which scans a whole table of the ledger',
    async (path, count) => {
      expect(await scansOf(path)).toEqual({ statements: count, scans: [] });
    },
  );

  it('reads the dearest sales of each campaign by an index, and no more sales', async () => {
    const { statements, scans } = await scansOf('/v1/receipts?limit=1&order=highest');
    // It reads all campaigns, of which there are few compared with their sales.
    expect({ statements, scans: scans.filter((scan) => scan !== COUNT) }).toEqual({
      statements: 1,
      scans: [],
    });
    const [page] = sent.filter(({ text }) => text.includes('picked'));
    // The ten sales of a campaign of this ledger are as cheap to sort.
    const plan = await filling.begin(async (sql) => {
      await sql`select set_config('enable_sort', 'off', true)`;
      return await sql.unsafe(`explain ${page?.text}`, page?.parameters);
    });
    expect(JSON.stringify([...plan])).toContain('using sale_price on');
  });

  it.each(['title 1776', 'mercant', 'hnadle 7'])(
    'finds %s among names by their indexes',
    async (q) => {
      await filling`
        insert into commerce.distributor
        select '0x' || lpad(to_hex(n), 40, '0'), 'handle-' || n, 'Name ' || n, 'public'
        from generate_series(1, 4000) n on conflict do nothing`;
      await filling`analyze commerce.distributor`;
      const reads = (await readsOf(`/v1/search?q=${encodeURIComponent(q)}`)).filter(({ text }) =>
        text.includes('word_similarity'),
      );
      expect(reads).toHaveLength(4);
      const plans = JSON.stringify(await Promise.all(reads.map((one) => explain(one))));
      for (const table of ['product', 'merchant', 'distributor']) {
        expect(plans).toContain(`"Index Name":"${table}_search"`);
        expect(plans).toContain(`"Index Name":"${table}_search_name"`);
      }
      // Some rows of a small table are found faster in the whole of it.
      expect(await log.wholeReadsOf(reads)).toEqual([]);
    },
  );

  it.each(['/v1/search?q=77', '/v1/products/p776/versions', '/v1/receipts?limit=100'])(
    '%s finds products and their versions by an index',
    async (path) => {
      const reads = (await readsOf(path)).filter(({ text }) => /\bcommerce\./.test(text));
      const plans = await Promise.all(reads.map((one) => explain(one)));
      expect(plans).not.toEqual([]);
      expect(JSON.stringify(plans), path).not.toMatch(
        /Seq Scan","[^}]*"Relation Name":"product(_version)?"/,
      );
    },
  );

  /** Has nodes, levels and balances, campaign 123 among them; whose merchant the other one is. */
  const earner = `0x${'7c'.padStart(40, '0')}` as const;
  const merchant = `0x${'7b'.padStart(40, '0')}` as const;
  const own: [string, number][] = [
    ['/v1/me/earnings', 2],
    ['/v1/me/earnings/campaigns', 5],
    ['/v1/me/earnings/conversions', 4],
    ['/v1/me/earnings/conversions?state=reserved&limit=100', 4],
    ['/v1/me/earnings/conversions?state=reversed&campaignId=123', 4],
    ['/v1/me/earnings/missed', 4],
    ['/v1/me/earnings/missed?campaignId=123&reason=BUDGET', 4],
    ['/v1/me/claimable', 4],
    ['/v1/me/claims', 4],
    ['/v1/me/credits', 4],
    ['/v1/me/claims?campaignId=123', 4],
    ['/v1/me/statements', 3],
    ['/v1/me/statements?interval=day&campaignId=123', 3],
    ['/v1/me/statements/csv', 3],
    ['/v1/me/statements/csv?rows=lines&interval=day', 3],
    ['/v1/me/notifications?limit=100', 3],
    ['/v1/me/links', 9],
    ['/v1/me/links?campaignId=123&limit=100', 9],
    ['/v1/links/123/stats', 4],
    ['/v1/campaigns/777/join-preview?parentNodeId=90777', 6],
    ['/v1/me/graph', 3],
    ['/v1/me/graph?campaignId=123&depthMax=100&limit=100', 3],
    ['/v1/me/reputation', 4],
  ];

  it.each(own)(
    'a caller’s own %s sends %i statements, none of which scans a whole table',
    async (path, count) => {
      const { reading } = await signedIn(fixture.deps, earner);
      expect(await scansOf(path, reading)).toEqual({ statements: count, scans: [] });
    },
  );

  const sellers: [string, number][] = [
    ['/v1/merchant/campaigns', 3],
    ['/v1/merchant/campaigns?kind=campaign&status=active&limit=100', 3],
    ['/v1/merchant/campaign-drafts/d7', 3],
    ['/v1/merchant/campaigns/123/distributors', 4],
    ['/v1/merchant/campaigns/123/distributors?sort=sales&q=0x00&limit=100', 4],
    ['/v1/merchant/partners', 7],
    ['/v1/merchant/partners?sort=newest&limit=100', 7],
    ['/v1/merchant/partners?sort=value', 7],
    ['/v1/merchant/partners?campaignId=123&status=inactive&sort=rewards', 8],
    [`/v1/merchant/partners/${earner}`, 10],
    [`/v1/merchant/partners/${earner}/sales?limit=100`, 5],
    ['/v1/merchant/invitations', 2],
    [`/v1/merchant/invitations?distributor=${earner}&limit=100`, 2],
    ['/v1/merchant/invitations?campaignId=123&status=pending', 4],
    ['/v1/invitations/i123', 2],
    ['/v1/merchant/reports?limit=100', 2],
    ['/v1/merchant/reports/r123', 2],
    ['/v1/me/invitations?status=pending', 2],
    ['/v1/merchant/orders?limit=100', 4],
    [`/v1/merchant/orders?orderKey=${HASH}&buyer=${earner}&nodeId=123`, 4],
    [`/v1/merchant/orders?transactionHash=${HASH}`, 4],
    [`/v1/merchant/orders?campaignId=123&skuHash=${HASH}`, 5],
    [`/v1/merchant/orders/0x${'7b'.padStart(64, '0')}`, 4],
  ];

  it.each(sellers)(
    'a merchant’s own %s sends %i statements, none of which scans a whole table',
    async (path, count) => {
      await fillPlans(filling, merchant);
      const { reading } = await signedIn(fixture.deps, merchant);
      expect(await scansOf(path, reading)).toEqual({ statements: count, scans: [] });
      for (const statement of [...sent]) {
        if (!/commerce\.(campaign_|invitation|report)/.test(statement.text)) continue;
        const plan = JSON.stringify(await explain(statement));
        expect(plan, statement.text).not.toMatch(
          /Seq Scan","Schema":"commerce","Relation Name":"(camp|inv|report)/,
        );
      }
    },
  );

  it('finds what depends on a product that is to be deleted by indexes', async () => {
    await fillPlans(filling, merchant);
    const owner = `0x${'8'.padStart(40, '0')}` as const;
    const [product] = await filling<{ id: string }[]>`
      select product.id from commerce.product
      join commerce.merchant on merchant.id = product.merchant_id
      where merchant.address = ${owner} limit 1`;
    const { writing } = await signedIn(fixture.deps, owner);
    sent.length = 0;
    const init = { method: 'DELETE', headers: writing };
    const path = `/v1/merchant/products/${product?.id}`;
    expect((await fixture.app({ pool }).request(path, init)).status).toBe(409);
    const reads = sent.filter(({ text }) => text.includes('as is_published'));
    expect(reads).toHaveLength(1);
    for (const statement of reads) {
      expect(await scansIn(statement)).toEqual([]);
      expect(JSON.stringify(await explain(statement))).not.toContain('Seq Scan');
    }
  });

  it('reads and writes labels of links by their key', async () => {
    await filling`
      insert into commerce.link_label
      select '0x' || lpad(to_hex(n % 997), 40, '0'), 1, n, 'A link', now()
      from generate_series(1, 4000) n on conflict do nothing`;
    await filling`analyze commerce.link_label`;
    const { reading, writing } = await signedIn(fixture.deps, earner);
    const app = fixture.app({ pool });
    sent.length = 0;
    const links = await app.request('/v1/me/links?limit=1', { headers: reading });
    const { data } = z
      .object({ data: z.object({ items: z.array(z.object({ nodeId: z.string() })).length(1) }) })
      .parse(await links.json());
    for (const label of ['Blog', 'Shop', null]) {
      const init = {
        method: 'PATCH',
        headers: { ...writing, 'content-type': 'application/json' },
        body: JSON.stringify({ label }),
      };
      const path = `/v1/me/links/${data.items[0]?.nodeId}`;
      expect((await app.request(path, init)).status).toBe(200);
    }
    const statements = sent.filter(({ text }) => text.includes('commerce.link_label'));
    expect(statements).toHaveLength(4);
    for (const statement of statements) {
      expect(JSON.stringify(await explain(statement)), statement.text).not.toMatch(
        /Seq Scan","[^}]*"Relation Name":"link_label"/,
      );
    }
  });

  it('finds changed orders by indexes, however far back the changes begin', async () => {
    const { reading } = await signedIn(fixture.deps, merchant);
    const first = await fixture
      .app()
      .request('/v1/merchant/orders?limit=100', { headers: reading });
    const [hash, [, epoch]] = z
      .tuple([z.string(), z.tuple([z.string(), z.string()]).rest(z.string())])
      .parse(
        JSON.parse(
          Buffer.from(
            z.object({ data: z.object({ since: z.string() }) }).parse(await first.json()).data
              .since,
            'base64url',
          ).toString(),
        ),
      );
    for (const [sequence, sale] of [
      ['0', ''],
      ['18000', '500'],
    ]) {
      const position = ['changes', epoch, sequence, sale];
      const since = Buffer.from(JSON.stringify([hash, position])).toString('base64url');
      const path = `/v1/merchant/orders?limit=100&since=${since}`;
      expect(await scansOf(path, reading)).toEqual({ statements: 5, scans: [] });
    }
  });

  it.each(['sales', 'newest'])(
    'reads a page of very many partners sorted by %s with one plan for any parameters, in the order of an index',
    async (sort) => {
      await fillPartnersOf(filling, merchant);
      const { reading } = await signedIn(fixture.deps, merchant);
      for (const limit of [20, 100]) {
        await scansOf(`/v1/merchant/partners?sort=${sort}&limit=${limit}`, reading);
        const pages = sent.filter(({ text }) => text.includes('ledger.merchant_partner'));
        expect(pages).toHaveLength(1);
        for (const statement of pages) {
          const plan = await planOf(statement, { generic: true });
          expect(wholeScans(plan)).toEqual([]);
          const index = `merchant_partner_${sort === 'sales' ? 'settled' : 'first_link'}`;
          expect(limitedScansIn(plan), `limit ${limit}`).toContain(index);
        }
      }
    },
  );

  /** What each kind of notification is read by: an index, and the table of the service that it must not scan. */
  const notified: [string, string][] = [
    ['rewards_claimable', 'entry_account'],
    ['policy_scheduled', 'policy_pkey'],
    ['campaign_paused', 'journal_stopping'],
    ['campaign_expired', 'campaign_pkey'],
    ['invitation_received', 'invitation_received'],
    ['invitation_answered', 'invitation_answered'],
    ['refund_requested', 'dispute_opened'],
    ['refund_answered', 'dispute_answered'],
    ['refund_paid', 'dispute_buyer'],
    ['report_ready', 'report_merchant'],
  ];

  it.each(notified)(
    'notifications of kind %s are read by the index %s, and by no scan of a table',
    async (kind, index) => {
      await fillPlans(filling, merchant);
      await fillAnswers(filling, { distributor: earner, merchant });
      // With a cursor too, which begins in the middle.
      const at = String((Date.now() - 3_600_000) * 1_000);
      for (const account of [merchant, earner]) {
        const { reading } = await signedIn(fixture.deps, account);
        const path = `/v1/me/notifications?kind=${kind}&limit=100`;
        const scope = { method: 'notifications.list', input: { kind, account } };
        const after = encodeCursor(scope, [at, 'm']);
        for (const page of [path, `${path}&cursor=${after}`]) {
          const reads = await readsOf(page, reading);
          expect(reads).toHaveLength(3);
          const plans = (await Promise.all(reads.map(explain))).flat();
          expect(plans.flatMap((plan) => wholeScans(plan))).toEqual([]);
          const text = JSON.stringify(plans);
          expect(text).toContain(`"Index Name":"${index}"`);
          expect(text).not.toMatch(/Seq Scan","[^}]*"Schema":"commerce"/);
        }
      }
    },
  );

  const vaults: [string, number][] = [
    ['/v1/merchant/vault', 4],
    ['/v1/merchant/campaigns/123/vault', 4],
    ['/v1/merchant/vault/movements', 4],
    ['/v1/merchant/vault/movements?campaignId=123', 5],
    ['/v1/merchant/vault/movements?kind=SaleRecorded', 4],
    ['/v1/merchant/vault/movements?kind=CampaignFunded&campaignId=123', 5],
    ['/v1/merchant/analytics', 7],
    ['/v1/merchant/campaigns/123/analytics', 8],
    ['/v1/merchant/reports/preview?kind=sales&campaignIds=123', 5],
    ...['sales', 'rewards', 'missed', 'movements', 'payouts'].map((kind): [string, number] => [
      `/v1/merchant/reports/preview?kind=${kind}`,
      4,
    ]),
  ];

  it.each(vaults)(
    'a merchant’s own %s sends %i statements, none of which scans a whole table',
    async (path, count) => {
      const { reading } = await signedIn(fixture.deps, merchant);
      expect(await scansOf(path, reading)).toEqual({ statements: count, scans: [] });
    },
  );

  const account = `0x${'d'.padStart(40, '0')}`;
  const policy = {
    ...{ commissionBps: 500, maxRewardedAncestors: 1, weightsBps: [10_000], holdSeconds: 60 },
    expiry: '2090-01-01T00:00:00Z',
  };
  const order = { buyer: account, orderKey: HASH, amount: '1' };
  const attestation = {
    ...{ ...order, campaignId: '123', termsHash: HASH, nodeId: '90123', nodeOwner: account },
    ...{ skuHash: HASH, nonce: '1', deadline: '4000000000' },
  };
  /** What prepares transactions: the path, the body, and the number of statements. */
  const prepared: [string, object | undefined, number][] = [
    ['merchant/campaigns/123/finalize', {}, 6],
    ['merchant/campaigns/123/pause', undefined, 4],
    ['merchant/campaigns/123/resume', undefined, 4],
    ['merchant/campaigns/123/end', {}, 4],
    ['merchant/campaigns/123/policies', { policy, effectiveAt: '2080-01-01T00:00:00Z' }, 4],
    ['merchant/campaigns/123/prices', { skuHash: HASH, price: '1' }, 5],
    ['merchant/campaigns/123/fund', { amount: '1' }, 4],
    ['merchant/campaigns/123/capacity', { sales: 2_000 }, 4],
    ['merchant/campaigns/123/allow-list', { accounts: [account, merchant], allowed: true }, 5],
    [
      'merchant/campaigns/123/attesters',
      {
        ...{ account, allowed: true, perOrder: '1', daily: '1' },
        expiry: '2090-01-01T00:00:00Z',
      },
      5,
    ],
    ['merchant/campaigns/123/attestations', { ...order, nodeId: '90123' }, 7],
    ['attestations', { attestation, signature: `0x${'1b'.repeat(65)}` }, 7],
    ['me/payouts', undefined, 4],
    ['merchant/sales/10123/refund', {}, 7],
    ['merchant/sales/10123/reverse', {}, 7],
  ];

  it.each(prepared)(
    'preparing %s %o sends %i statements, none of which scans a whole table',
    async (path, body, count) => {
      const { writing } = await signedIn(fixture.deps, merchant);
      const headers = { ...writing, ...(body && { 'content-type': 'application/json' }) };
      const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
      sent.length = 0;
      const response = await fixture.app({ pool }).request(`/v1/${path}`, init);
      // A deposit needs the chain, and an end a fresh signature: what comes before is read all the same.
      expect([200, 403, 503], path).toContain(response.status);
      const reads = sent.filter(isOfTables);
      expect(reads).toHaveLength(count);
      for (const statement of reads) {
        const plans = await explain(statement);
        expect(
          plans.flatMap((plan) => wholeScans(plan)),
          statement.text,
        ).toEqual([]);
        expect(JSON.stringify(plans)).not.toMatch(/Seq Scan","[^}]*"Relation Name":"dispute"/);
      }
    },
  );

  const shops: [string, number][] = [
    ['/v1/merchant', 2],
    ['/v1/merchant/products?limit=100', 5],
    ['/v1/merchant/products?status=ready&q=title', 5],
    ['/v1/merchant-slugs/slug-8', 3],
    ['/v1/merchant/policy-templates', 3],
    ['/v1/merchant/billing', 3],
    ['/v1/merchant/billing/invoices', 2],
  ];

  it.each(shops)(
    'a profile’s own %s sends %i statements, none of which scans a whole table',
    async (path, count) => {
      await fillTemplates(filling);
      const { reading } = await signedIn(fixture.deps, `0x${'7'.padStart(40, '0')}`);
      expect(await scansOf(path, reading)).toEqual({ statements: count, scans: [] });
      for (const statement of [...sent]) {
        if (!statement.text.includes('commerce.policy_template')) continue;
        expect(JSON.stringify(await explain(statement))).not.toContain('Seq Scan');
      }
    },
  );

  it('finds the metadata of a campaign by its key', async () => {
    await fillPlans(filling, merchant);
    await filling`
      insert into commerce.campaign_metadata
        (merchant, metadata_hash, content, product_id, product_version)
      select merchant, metadata_hash, '{}', 'p', 1 from ledger.campaign where campaign_id = 777
      on conflict do nothing`;
    const reads = await readsOf('/v1/campaigns/777/metadata');
    expect(reads.map(({ text }) => text.includes('commerce.campaign_metadata'))).toContain(true);
    for (const statement of reads) {
      expect(await scansIn(statement)).toEqual([]);
      expect(JSON.stringify(await explain(statement))).not.toMatch(
        /Seq Scan","[^}]*"Relation Name":"campaign_metadata"/,
      );
    }
  });

  it('uses an index for each statement that cancels an intent', async () => {
    const { writing } = await signedIn(fixture.deps, `0x${'ca'.padStart(40, '0')}`);
    sent.length = 0;
    const path = '/v1/checkout/intents/i202/cancel';
    const init = { method: 'POST', headers: writing };
    const response = await fixture.app({ pool }).request(path, init);
    // Its order key bought a sale, which the request reads. The intents of other sales are cancelled all the same.
    expect(response.status).toBe(409);
    const known = [`0x${'ab'.repeat(32)}`] as const;
    const cancelled = await cancelIntent(pool, { id: 'i404', known, at: new Date() });
    expect(cancelled).toBeUndefined();
    const statements = sent.filter(isOfTables);
    expect(statements.some(({ text }) => text.includes('set state = '))).toBe(true);
    for (const statement of statements) {
      expect(await scansIn(statement)).toEqual([]);
      expect(JSON.stringify(await explain(statement)), statement.text).not.toMatch(
        /Seq Scan","[^}]*"Relation Name":"checkout_\w+"/,
      );
    }
  });

  it('finds 100 receipts by their ids', async () => {
    const saleIds = Array.from({ length: 100 }, (_, index) => String(50_700 + index));
    sent.length = 0;
    const response = await fixture.app({ pool }).request('/v1/lookups/receipts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chainId: CHAIN_ID, saleIds }),
    });
    expect(response.status).toBe(200);
    const reads = sent.filter(isOfTables);
    expect(reads).toHaveLength(1);
    for (const statement of reads) expect(await scansIn(statement)).toEqual([]);
  });

  it('scans no whole table of the ledger to close a merchant', async () => {
    sent.length = 0;
    const { closedAt } = await closeMerchant(pool, `0x${'7'.padStart(40, '0')}`, Date.now);
    expect(closedAt).toBeNull();
    const reads = sent.filter(({ text }) => /\bledger\./.test(text));
    expect(reads).toHaveLength(4);
    for (const statement of reads) expect(await scansIn(statement)).toEqual([]);
  });

  it('reads all accounts and campaigns for the ranking, and no sale', async () => {
    sent.length = 0;
    await refreshRanking(pool);
    const making = sent.filter(({ text }) => text.includes('ledger.account_sum'));
    expect(making).toHaveLength(1);
    for (const statement of making) {
      const scans = await scansIn(statement);
      expect(scans.length).toBeGreaterThan(1);
      for (const scan of scans)
        expect(scan).toMatch(/ (campaign|account_sum|campaign_\w+|account_sum_pkey)$/);
    }
  });

  it('uses an index to look up when an account’s newest sale settled in a rollback', async () => {
    sent.length = 0;
    await pool.begin(async (sql) => {
      const sales = [{ campaign_id: '123', sales: ['1230', '1231'] }];
      const accounts = await settledNewestBy(sql, sales);
      await restoreLastSettled(sql, [{ campaign_id: '123', account: earner }, ...accounts]);
    });
    const lookUps = sent.filter(({ text }) => text.includes('last_settled_at'));
    expect(lookUps).toHaveLength(2);
    for (const statement of lookUps) {
      expect(wholeScans(await planOf(statement, { generic: true })), statement.text).toEqual([]);
    }
  });

  it('reads the session but scans no whole table for a list without the campaigns that the reader joined', async () => {
    const { reading } = await signedIn(fixture.deps, `0x${'7b'.padStart(40, '0')}`);
    for (const query of ['excludeJoined=true', 'excludeJoined=true&sort=newest&limit=100']) {
      const found = await scansOf(`/v1/campaigns?${query}`, reading);
      expect(found).toEqual({ statements: 2, scans: [] });
    }
  });

  it('uses an index for each statement of a session', async () => {
    await fillSessions(filling);
    const me = `0x${'7'.padStart(40, '0')}` as const;
    const { reading, writing } = await signedIn(fixture.deps, me);
    const app = fixture.app({ pool });
    sent.length = 0;
    await app.request('/v1/auth/nonce');
    await app.request('/v1/auth/sessions', { headers: reading });
    await app.request('/v1/auth/sign-out', { method: 'POST', headers: writing });
    await signedIn({ ...fixture.deps, pool }, me);
    await useNonce(pool, 'abcdefgh', new Date());
    const statements = sent.filter(({ text }) => /\bcommerce\.(session|sign_in)/.test(text));
    expect(statements).toHaveLength(9);
    for (const statement of statements) {
      expect(JSON.stringify(await explain(statement)), statement.text).not.toContain('Seq Scan');
    }
  });

  it('uses an index for each statement of purchases, disputes and intents', async () => {
    const [merchant, buyer] = [
      `0x${'7'.padStart(40, '0')}`,
      `0x${'ca'.padStart(40, '0')}`,
    ] as const;
    const asMerchant = await signedIn(fixture.deps, merchant);
    const asBuyer = await signedIn(fixture.deps, buyer);
    const range = encodeURIComponent('{"from":"2023-11-14T00:00:00Z","to":"2023-11-15T00:00:00Z"}');
    const reads: [string, Readonly<Record<string, string>>][] = [
      ['/v1/me/purchases?limit=100', asBuyer.reading],
      ['/v1/me/purchases?state=pending&campaignId=502', asBuyer.reading],
      [`/v1/me/purchases?range=${range}`, asBuyer.reading],
      ['/v1/merchant/sales?limit=100', asMerchant.reading],
      [`/v1/merchant/sales?state=pending&buyer=${buyer}&range=${range}`, asMerchant.reading],
      [`/v1/merchant/sales?orderKey=${HASH}&order=oldest`, asMerchant.reading],
      [`/v1/merchant/sales?transactionHash=${HASH}`, asMerchant.reading],
      ['/v1/merchant/sales?nodeId=90007', asMerchant.reading],
      ['/v1/merchant/sales?order=highest&paidMin=0.5', asMerchant.reading],
      ['/v1/merchant/sales?q=%23123', asMerchant.reading],
      ['/v1/merchant/sales?q=title', asMerchant.reading],
      ['/v1/merchant/sales?q=0x00000000', asMerchant.reading],
      ['/v1/merchant/sales?nodeId=0', asMerchant.reading],
      [`/v1/merchant/sales?finalized=${range}`, asMerchant.reading],
      [`/v1/merchant/sales?changed=${range}&order=oldest`, asMerchant.reading],
      ['/v1/merchant/disputes?limit=100', asMerchant.reading],
      ['/v1/merchant/disputes?status=open&campaignId=507', asMerchant.reading],
      ['/v1/merchant/disputes/d507', asMerchant.reading],
      ['/v1/merchant/disputes/exposure', asMerchant.reading],
      ['/v1/me/refund-requests?limit=100', asBuyer.reading],
      ['/v1/me/refund-requests?status=open&limit=1', asBuyer.reading],
      ['/v1/me/refund-requests/d20202', asBuyer.reading],
      ['/v1/checkout/intents/i202', asBuyer.reading],
      ['/v1/checkout/intents?limit=100', asBuyer.reading],
      ['/v1/checkout/intents?state=created&campaignId=202&limit=1', asBuyer.reading],
    ];
    const writes: [string, object, Readonly<Record<string, string>>][] = [
      ['/v1/fulfillment/202/access', {}, asBuyer.writing],
      ['/v1/checkout/intents/i202/transaction', { transactionHash: HASH }, asBuyer.writing],
      [
        '/v1/me/refund-requests',
        { chainId: CHAIN_ID, saleId: '202', reason: 'other', message: 'Please.' },
        asBuyer.writing,
      ],
      [
        '/v1/merchant/disputes/d20202/responses',
        { response: 'message', message: 'Hm.' },
        asBuyer.writing,
      ],
      ['/v1/me/refund-requests/d20202/responses', { message: 'Hm.' }, asBuyer.writing],
      ['/v1/me/refund-requests/d20202/withdraw', {}, asBuyer.writing],
      [
        '/v1/me/refund-requests',
        { chainId: CHAIN_ID, saleId: '20202', reason: 'other', message: 'Again, please.' },
        asBuyer.writing,
      ],
    ];
    const app = fixture.app({ pool });
    for (const [path, headers] of reads) await answered(app.request(path, { headers }), path);
    for (const [path, body, writing] of writes) {
      const headers = { ...writing, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      await answered(app.request(path, init), path);
    }

    async function answered(response: Response | Promise<Response>, path: string): Promise<void> {
      expect((await response).status, path).toBe(200);
      const statements = sent.splice(0).filter(isOfTables);
      expect(statements, path).not.toEqual([]);
      for (const statement of statements) {
        const plan = await explain(statement);
        expect(
          plan.flatMap((one) => wholeScans(one)),
          path,
        ).toEqual([]);
        const own = /Seq Scan","[^}]*"Relation Name":"(dispute|dispute_message|checkout_\w+)"/;
        expect(JSON.stringify(plan), path).not.toMatch(own);
      }
    }
  });

  it('finds sales in a state, and those of a period, by the index that has them', async () => {
    const { reading } = await signedIn(fixture.deps, merchant);
    const range = encodeURIComponent('{"from":"2023-11-14T00:00:00Z","to":"2023-11-15T00:00:00Z"}');
    for (const [path, headers, index] of [
      ['/v1/campaigns/777/sales?state=reversed', {}, 'sale_time'],
      [`/v1/merchant/sales?finalized=${range}`, reading, 'journal_moved'],
      [`/v1/merchant/sales?changed=${range}`, reading, 'sale_changed'],
    ] as const) {
      const reads = await readsOf(path, headers);
      const plans = await Promise.all(reads.map((one) => explain(one)));
      expect(JSON.stringify(plans), path).toContain(`"Index Name":"${index}"`);
    }
  });

  it('uses an index to find new changes and older ones for the stream', async () => {
    const app = fixture.app({ pool });
    const newest = await StreamWatch.open(app);
    const { id } = await newest.nextOf('hello');
    sent.length = 0;
    const older = await StreamWatch.open(app, { lastEventId: id.replace(/-.*/, '-10000') });
    await older.nextOf('settled');
    const reads = sent.filter(({ text }) => /\bledger\./.test(text));
    expect(reads.some(({ text }) => text.includes('ledger.journal'))).toBe(true);
    for (const statement of reads) expect(await scansIn(statement)).toEqual([]);
    await older.close();
    await newest.close();
  });

  it('reads the last page of sales in the same way as the first', async () => {
    const { data } = z
      .object({ data: z.object({ nextCursor: z.string() }) })
      .parse(await (await fixture.app().request('/v1/receipts?limit=1')).json());
    const [hash] = z
      .tuple([z.string(), z.array(z.string())])
      .parse(JSON.parse(Buffer.from(data.nextCursor, 'base64url').toString()));
    const far = Buffer.from(JSON.stringify([hash, ['30', '30']])).toString('base64url');
    expect((await scansOf(`/v1/receipts?cursor=${far}`)).scans).toEqual([]);
  });
});

/** Sessions and nonces enough for an index to be worth it. */
async function fillSessions(pool: ApiFixture['pool']): Promise<void> {
  await pool`
    insert into commerce.session
    select 's' || n, sha256(n::text::bytea), '0x' || lpad(to_hex(n % 997), 40, '0'), null,
      now() - interval '1 minute' * (n % 999), now(), now() + interval '7 days'
    from generate_series(1, 4000) n`;
  await pool`
    insert into commerce.sign_in_nonce
    select n, 'nonce' || lpad(n::text, 8, '0'), now() from generate_series(1, 4000) n`;
  await pool`analyze commerce.session, commerce.sign_in_nonce`;
}

/** Answers to disputes and invitations, and reports, enough for an index to be worth it. */
async function fillAnswers(
  pool: ApiFixture['pool'],
  { distributor, merchant }: { readonly distributor: string; readonly merchant: string },
): Promise<void> {
  const [known] = await pool`select 1 from commerce.report where id = 'a1'`;
  if (known !== undefined) return;
  await pool`
    update commerce.invitation set created_at = now() - number * interval '1 second',
      distributor = case when number % 4 < 2 then ${distributor} else ${merchant} end`;
  await pool`
    update commerce.invitation set status = 'declined', responded_at = created_at
    where number % 3 = 0`;
  await pool`
    update commerce.dispute set answer = 'declined', decline_reason = 'No.', answered_at = now()
    where campaign_id % 3 = 0`;
  await pool`
    insert into commerce.report (id, merchant, kind, format, status, block_number, rows, size,
      sha256, file_key, created_at, changed_at, finished_at, expires_at)
    select 'a' || n, '0x' || lpad(to_hex(n % 499), 40, '0'), 'missed', 'csv', 'ready', 1, 1, 1,
      repeat('a', 64), 'a' || n, now() - n * interval '1 second', now(), now(), now()
    from generate_series(1, 4000) n`;
  await pool`analyze commerce.invitation, commerce.dispute, commerce.report`;
}

/** Templates enough for an index to be worth it; each merchant has one with the id `own-7`. */
async function fillTemplates(pool: ApiFixture['pool']): Promise<void> {
  await pool`
    insert into commerce.policy_template
    select merchant.id, 'own-' || n, 'Mine', '{}', now()
    from commerce.merchant, generate_series(1, 8) n on conflict do nothing`;
  await pool`analyze commerce.policy_template`;
}

/** Drafts, settings, invitations and reports enough for an index to be worth it. */
async function fillPlans(pool: ApiFixture['pool'], merchant: string): Promise<void> {
  const [known] = await pool`select 1 from commerce.campaign_draft limit 1`;
  if (known !== undefined) return;
  await pool`
    insert into commerce.campaign_draft (merchant, id, version, draft)
    select case when n <= 100 then ${merchant} else '0x' || lpad(to_hex(n % 499), 40, '0') end,
      'd' || n, 1, '{}'
    from generate_series(1, 4000) n`;
  await pool`
    insert into commerce.campaign_metadata
    select merchant, '0x' || lpad(to_hex(key), 64, '0'), key, '{}', 'p', 1, now()
    from commerce.campaign_draft`;
  await pool`
    insert into commerce.campaign_settings
    select campaign_id, merchant, null, null, campaign_id % 100 <> 0, now() from ledger.campaign`;
  await pool`
    insert into commerce.invitation (id, merchant, merchant_id, campaign_id, distributor, message,
      terms, policy_hash, created_at, expires_at)
    select 'i' || n, '0x' || lpad(to_hex(n % 499), 40, '0'), 'm1', n,
      '0x' || lpad(to_hex(n % 997), 40, '0'), '', '', '0x' || lpad('1', 64, '0'), now(),
      now() + interval '1 day'
    from generate_series(1, 4000) n`;
  await pool`
    insert into commerce.report (id, merchant, kind, format, created_at, changed_at)
    select 'r' || n, '0x' || lpad(to_hex(n % 499), 40, '0'), 'sales', 'csv', now(), now()
    from generate_series(1, 4000) n`;
  await pool`analyze commerce.campaign_draft, commerce.campaign_metadata,
    commerce.campaign_settings, commerce.invitation, commerce.report`;
}
