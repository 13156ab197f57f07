import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeTokens } from '../../engine/core/amounts.ts';
import { namesBuyers, reportColumns, reportKinds } from '../../engine/core/report.ts';
import { saveConfirmation } from '../../engine/db/commerce/confirmations.ts';
import { newToken, tokenHashOf } from '../../engine/http/auth/token.ts';
import { expireReports } from '../../engine/jobs/reports/upkeep.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { readCsv } from './support/csv.ts';
import { HistoryBuilder } from './support/facts.ts';
import { jobsOf, make } from './support/jobs.ts';
import { signedIn } from './support/session.ts';
import { type Marks, saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const OTHER = account(1_001);

/** Somebody signed in with a fresh confirmation. */
async function signIn(fixture: ApiFixture, address: `0x${string}`) {
  const { id, csrfToken, reading } = await signedIn(fixture.deps, address);
  const confirmationToken = newToken();
  const until = new Date(fixture.deps.clock() + 300_000);
  await saveConfirmation(fixture.pool, id, tokenHashOf(confirmationToken), until);
  const client = fixture.client({}, { csrfToken, cookie: reading.cookie });
  return { client, confirmationToken, cookie: reading.cookie };
}

describe('reports', () => {
  let fixture: ApiFixture;
  let marks: Marks;
  let now = Date.UTC(2026, 0, 1);

  beforeAll(async () => {
    fixture = await ApiFixture.open({ clock: () => now });
    const history = smallHistory();
    marks = history.marks;
    await fixture.settle(history.history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  type Order = Parameters<ReturnType<ApiFixture['client']>['reports']['export']>[0];

  /** Orders a report, makes it, and fetches its file as its owner. */
  async function fetched(order: Omit<Order, 'confirmationToken'>, merchant = ACME) {
    const { client, confirmationToken, cookie } = await signIn(fixture, merchant);
    now += 1;
    const { data: ordered } = await client.reports.export({ ...order, confirmationToken });
    expect(ordered).toMatchObject({ status: 'queued', downloadUrl: null, rows: null });
    await make(fixture, ordered.id);
    const { data } = await client.reports.list({ limit: 1 });
    const report = data.items[0];
    if (report?.downloadUrl == null) throw new Error(`not ready: ${JSON.stringify(report)}`);
    expect(report).toMatchObject({ id: ordered.id, status: 'ready', error: null });
    const path = new URL(report.downloadUrl).pathname;
    const response = await fixture.app().request(path, { headers: { cookie } });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(report.size).toBe(bytes.length);
    expect(report.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    return { report, path, cookie, response, text: bytes.toString('utf8') };
  }

  async function objects(order: Omit<Order, 'confirmationToken' | 'format'>, merchant = ACME) {
    const { text, report } = await fetched({ ...order, format: 'json' }, merchant);
    const rows: Record<string, string | null>[] = JSON.parse(text);
    expect(rows).toHaveLength(report.rows ?? -1);
    return rows;
  }

  it('writes a row for each sale, by campaign and time, with the same cells in both formats', async () => {
    const rows = await objects({ kind: 'sales' });
    expect(rows.map(({ saleId }) => saleId)).toEqual(['1', '2', '3', '5']);
    expect(rows[0]).toEqual({
      soldAt: '2023-11-14T22:13:44.000Z',
      saleId: '1',
      campaignId: '1',
      product: 'Mountain beans',
      buyer: account(500),
      nodeId: '4',
      seller: account(14),
      token: account(1),
      tokenSymbol: 'TUSD',
      tokenDecimals: '6',
      amount: '1000000',
      amountTokens: '1',
      refunded: '400000',
      refundedTokens: '0.4',
      pool: '100000',
      poolTokens: '0.1',
      policyVersion: '1',
      trustMode: 'NATIVE_ONCHAIN',
      trustModeText: 'Paid on the chain',
      state: 'finalized',
      stateText: 'Completed',
      holdUntil: '2023-11-14T22:23:44.000Z',
      finalizedAt: '2023-11-14T22:25:36.000Z',
      orderKey: hash('order 1'),
      skuHash: hash('sku 1'),
      productVersion: '1',
      variantId: null,
      variant: null,
      blockNumber: String(marks.sold),
      transactionHash: rows[0]?.transactionHash,
    });
    expect(rows[1]).toMatchObject({ nodeId: null, seller: null, state: 'pending' });
    expect(rows[3]).toMatchObject({ campaignId: '3', product: null, finalizedAt: null });

    const csv = await fetched({ kind: 'sales', format: 'csv' });
    expect(csv.response.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    expect(csv.response.headers.get('content-disposition')).toMatch(/^attachment; .*\.csv"$/);
    expect(csv.response.headers.get('cache-control')).toBe('no-store');
    const [heading, ...lines] = readCsv(csv.text);
    expect(heading).toEqual(reportColumns.sales.map(({ name }) => name));
    expect(lines).toEqual(rows.map((row) => heading?.map((name) => row[name] ?? '')));
  });

  it('writes the outcome of each level into a report of rewards', async () => {
    const rows = await objects({ kind: 'rewards' });
    expect(
      rows.map(({ saleId, level, recipient, share, held, released, vested, state }) =>
        [saleId, level, recipient, share, held, released, vested, state].join(' '),
      ),
    ).toEqual([
      `1 1 ${account(14)} 50000 0 20000 30000 claimed`,
      `1 2 ${account(13)} 30000 0 12000 18000 claimable`,
      `1 3 ${account(12)} 20000 0 8000 12000 claimable`,
      `3 1 ${account(11)} 100000 0 100000 0 refunded`,
      `5 1 ${account(17)} 5000 5000 0 0 reserved`,
      `5 2 ${account(16)} 3000 3000 0 0 reserved`,
    ]);
    expect(await objects({ kind: 'rewards' }, OTHER)).toMatchObject([
      { saleId: '4', vested: '200000', reversed: '200000', state: 'reversed' },
    ]);
  });

  it('names the cap in a report of missed rewards, and the recipient in one of payouts', async () => {
    const missed = await objects({ kind: 'missed' });
    expect(missed.map(({ level, reason, amount }) => `${level} ${reason} ${amount}`)).toEqual([
      '1 SALE_CAP 45000',
      '2 SALE_CAP 27000',
    ]);
    expect(await objects({ kind: 'payouts' })).toMatchObject([
      { campaignId: '1', payout: 'rewards', account: account(14), amount: '30000' },
    ]);
  });

  it('writes the movements of the vault, oldest first, as many as the preview counts', async () => {
    const rows = await objects({ kind: 'movements', campaignIds: ['1'] });
    const { client } = await signIn(fixture, ACME);
    const reported = [];
    for await (const one of client.pages(client.vault.movements, { campaignId: '1', limit: 7 })) {
      reported.push(one);
    }
    expect(rows).toEqual(
      // The vault returns the newest event first, and the movements of one in the same order.
      reported
        .sort((a, b) => a.sequence - b.sequence)
        .map((one) => ({
          movedAt: one.at,
          campaignId: one.campaignId,
          sequence: String(one.sequence),
          event: one.kind,
          saleId: one.saleId,
          from: one.from,
          to: one.to,
          account: one.account,
          token: one.token.address,
          tokenSymbol: one.token.symbol,
          tokenDecimals: String(one.token.decimals),
          amount: one.amount,
          amountTokens: wholeTokens(one.amount, one.token.decimals),
          blockNumber: one.tx.blockNumber,
          transactionHash: one.tx.hash,
        })),
    );
    const { data } = await client.reports.preview({ kind: 'movements', campaignIds: ['1'] });
    expect(data.totalRows).toBe(rows.length);
  });

  it('writes reports as of the settled block, whatever the rows contain beyond it', async () => {
    const settle = (block: number) =>
      fixture.pool`update ledger.head set settled_number = ${block}`.then(() => {});
    await settle(marks.refunded);
    const sales = await objects({ kind: 'sales' });
    const rewards = await objects({ kind: 'rewards' });
    const payouts = await objects({ kind: 'payouts' });
    await settle(marks.finalized);
    const finalized = await objects({ kind: 'rewards', campaignIds: ['1'] });
    await settle(marks.last);
    expect(sales.map(({ state, refunded }) => `${state} ${refunded}`)).toEqual([
      'pending 400000',
      'pending 0',
      'refunded 1000000',
      'pending 0',
    ]);
    expect(rewards.slice(0, 4).map(({ held, state }) => `${held} ${state}`)).toEqual([
      '30000 reserved',
      '18000 reserved',
      '12000 reserved',
      '0 refunded',
    ]);
    expect(payouts).toEqual([]);
    expect(finalized.map(({ state }) => state).slice(0, 3)).toEqual(Array(3).fill('claimable'));
  });

  it('includes the first moment of a report’s range, and excludes the last', async () => {
    const sold = '2023-11-14T22:13:44.000Z';
    const sales = async (from: string, to: string) =>
      (await objects({ kind: 'sales', range: { from, to } })).length;
    expect(await sales(sold, '2023-11-14T22:13:44.001Z')).toBe(4);
    expect(await sales('2023-11-14T22:13:43.001Z', '2023-11-14T22:13:45.000Z')).toBe(4);
    expect(await sales('2023-11-14T22:13:44.001Z', '2023-11-15T00:00:00.000Z')).toBe(0);
    expect(await sales('2023-11-01T00:00:00.000Z', sold)).toBe(0);
    expect(await sales(sold, sold)).toBe(0);
  });

  it('previews the first rows of a report, its columns and its number of rows', async () => {
    const { client } = await signIn(fixture, ACME);
    for (const kind of reportKinds) {
      const all = await objects({ kind });
      const { data, meta } = await client.reports.preview({ kind, limit: 2 });
      expect(meta.chain?.blockNumber).toBe(String(marks.last));
      expect(data.totalRows, kind).toBe(all.length);
      expect(data.rows).toEqual(all.slice(0, 2).map((row) => Object.values(row)));
      expect(data.columns.map(({ name }) => name)).toEqual(Object.keys(all[0] ?? {}));
    }
  });

  it('writes an empty report for an account without sales', async () => {
    const outsider = account(4_711);
    expect(await objects({ kind: 'sales' }, outsider)).toEqual([]);
    const { text, report } = await fetched({ kind: 'payouts', format: 'csv' }, outsider);
    expect(report.rows).toBe(0);
    expect(readCsv(text)).toEqual([reportColumns.payouts.map(({ name }) => name)]);
  });

  it('writes only the caller’s campaigns into a report, and names requested ones of others', async () => {
    const { client, confirmationToken } = await signIn(fixture, ACME);
    const rows = await objects({ kind: 'sales', campaignIds: ['3', '3'] });
    expect(rows.map(({ saleId }) => saleId)).toEqual(['5']);
    const campaignIds = ['1', '2', 'demo-x', '99'];
    const issues = [2, 3].map((i) => ({
      path: `campaignIds.${i}`,
      message: `there is no campaign ${campaignIds[i]}`,
    }));
    const refused = { status: 404, issues };
    const order = { kind: 'sales', format: 'csv', campaignIds, confirmationToken } as const;
    await expect(client.reports.export(order)).rejects.toMatchObject(refused);
    await expect(client.reports.preview({ kind: 'sales', campaignIds })).rejects.toMatchObject(
      refused,
    );
    const foreign = client.reports.preview({ kind: 'sales', campaignIds: ['1', '2'] });
    await expect(foreign).rejects.toMatchObject({
      ...{ status: 403, issues: [{ path: 'campaignIds.1' }] },
    });
  });

  it('requires a fresh confirmation only for reports that name buyers', async () => {
    const client = await fixture.clientAs(ACME);
    for (const kind of reportKinds) {
      const ordered = client.reports.export({ kind, format: 'csv' });
      if (namesBuyers(kind)) {
        await expect(ordered).rejects.toMatchObject({
          status: 403,
          code: 'CONFIRMATION_REQUIRED',
        });
      } else expect((await ordered).data.status).toBe('queued');
      const named = reportColumns[kind].some(({ name }) => name === 'buyer' || name === 'account');
      if (named && kind !== 'payouts') expect(namesBuyers(kind)).toBe(true);
    }
  });

  it('lets only the owner download a report, by a link that expires', async () => {
    const { path, cookie, report } = await fetched({ kind: 'rewards', format: 'csv' });
    const status = async (headers: Record<string, string>, at = path) =>
      (await fixture.app().request(at, { headers })).status;
    const stranger = await signIn(fixture, OTHER);
    expect(await status({})).toBe(401);
    expect(await status({ cookie: stranger.cookie })).toBe(404);
    expect(await status({ cookie }, `${path}x`)).toBe(404);
    expect(await status({ cookie }, '/reports/nonsense')).toBe(404);
    const head = await fixture.app().request(path, { method: 'HEAD', headers: { cookie } });
    expect(head.headers.get('content-length')).toBe(String(report.size));
    now += 3_600_000;
    expect(await status({ cookie })).toBe(404);
    const mine = await fixture.clientAs(ACME);
    const fresh = (await mine.reports.list({ limit: 1 })).data.items[0]?.downloadUrl ?? '';
    expect(await status({ cookie }, new URL(fresh).pathname)).toBe(200);
  });

  it('expires reports after a week, immediately for readers, and deletes their files later', async () => {
    const { report } = await fetched({ kind: 'missed', format: 'json' });
    const [{ file_key: key } = { file_key: '' }] = await fixture.pool<{ file_key: string }[]>`
      select file_key from commerce.report where id = ${report.id}`;
    expect(Date.parse(report.expiresAt ?? '') - now).toBe(604_800_000);
    now += 604_800_000;
    const client = await fixture.clientAs(ACME);
    const listed = async () => (await client.reports.list({ status: 'expired' })).data.items;
    expect(await listed()).toContainEqual(
      expect.objectContaining({ id: report.id, status: 'expired', downloadUrl: null }),
    );
    expect(await fixture.deps.files.exists(key)).toBe(true);
    await expireReports(jobsOf(fixture));
    await expireReports(jobsOf(fixture));
    expect(await fixture.deps.files.exists(key)).toBe(false);
    expect((await client.reports.list({ status: 'ready' })).data.items).toEqual([]);
    expect((await listed()).map(({ id }) => id)).toContain(report.id);
  });

  it('returns one report to its owner, with its status and a link to its file', async () => {
    const { client, confirmationToken } = await signIn(fixture, ACME);
    const order = { kind: 'sales', format: 'csv', confirmationToken } as const;
    const { data: ordered } = await client.reports.export(order);
    const { id } = ordered;
    expect((await client.reports.get({ id })).data).toEqual(ordered);
    await make(fixture, id);
    const { data } = await client.reports.get({ id });
    expect(data).toMatchObject({ id, status: 'ready', rows: 4 });
    expect(data.downloadUrl).not.toBeNull();
    const stranger = await fixture.clientAs(OTHER);
    await expect(stranger.reports.get({ id })).rejects.toMatchObject({ status: 404 });
    await expect(client.reports.get({ id: 'none' })).rejects.toMatchObject({ status: 404 });
  });

  it('deletes a report with its file, for its owner only, and ends earlier links', async () => {
    const { report, path, cookie } = await fetched({ kind: 'missed', format: 'csv' });
    const { id } = report;
    const mine = await fixture.clientAs(ACME);
    const stranger = await fixture.clientAs(OTHER);
    await expect(stranger.reports.remove({ id })).rejects.toMatchObject({ status: 404 });
    expect((await fixture.app().request(path, { headers: { cookie } })).status).toBe(200);
    expect((await mine.reports.remove({ id })).data).toEqual({ ok: true });
    expect((await fixture.app().request(path, { headers: { cookie } })).status).toBe(404);
    expect(await fixture.deps.files.exists(`reports/${id}/1.csv`)).toBe(false);
    for (const again of [mine.reports.get, mine.reports.remove]) {
      await expect(again({ id })).rejects.toMatchObject({ status: 404 });
    }
    const { items } = (await mine.reports.list({ limit: 100 })).data;
    expect(items.map((one) => one.id)).not.toContain(id);
  });

  it('frees the place of a report that was cancelled while it waited, and never makes it', async () => {
    const { client } = await signIn(fixture, account(2_003));
    const order = { kind: 'payouts', format: 'csv' } as const;
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push((await client.reports.export(order)).data.id);
    await expect(client.reports.export(order)).rejects.toMatchObject({ status: 422 });
    const [id = ''] = ids;
    await client.reports.remove({ id });
    await client.reports.export(order);
    await make(fixture, id);
    await expect(client.reports.get({ id })).rejects.toMatchObject({ status: 404 });
    expect(await fixture.deps.files.exists(`reports/${id}/1.csv`)).toBe(false);
  });

  it('lists each merchant’s own reports, newest first, by kind and status, page by page', async () => {
    const merchant = account(2_000);
    const { client } = await signIn(fixture, merchant);
    for (const kind of ['payouts', 'missed', 'payouts', 'rewards'] as const) {
      now += 1;
      await client.reports.export({ kind, format: 'csv' });
    }
    const kinds = async (query: { kind?: 'payouts'; status?: 'queued' | 'ready' }) => {
      const all = [];
      for await (const one of client.pages(client.reports.list, { ...query, limit: 1 })) {
        all.push(one.kind);
      }
      return all;
    };
    expect(await kinds({})).toEqual(['rewards', 'payouts', 'missed', 'payouts']);
    expect(await kinds({ kind: 'payouts' })).toEqual(['payouts', 'payouts']);
    expect(await kinds({ status: 'ready' })).toEqual([]);
    const { data: first } = await client.reports.list({ limit: 1 });
    const other = (await signIn(fixture, account(2_001))).client;
    expect((await other.reports.list()).data.items).toEqual([]);
    const cursor = first.nextCursor ?? '';
    await expect(other.reports.list({ cursor })).rejects.toMatchObject({ status: 400 });
  });

  it('refuses more than 20 unfinished reports, even if many are requested concurrently', async () => {
    const { client } = await signIn(fixture, account(2_002));
    const orders = await Promise.allSettled(
      Array.from({ length: 25 }, () => client.reports.export({ kind: 'missed', format: 'csv' })),
    );
    expect(orders.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const refused = orders.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { status: 422 } });
  });
});

describe('a report of what strangers wrote', () => {
  it('writes cells that start no formula, break no line and lose no character', async () => {
    const fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    const symbols = [
      '=1+1',
      '@SUM(1)',
      '+A1',
      '-A1',
      '\t=1',
      '＝1',
      ' =1',
      '\u00a0=1',
      '\ufeff=1',
      '\u3000＝1',
      '\u200b+1',
      '﹦1',
      ' \t@SUM(1)',
      'a,"b"',
      'x\r\ny',
      'x\ny',
      'naïve 🦊',
    ];
    for (const [i, tokenSymbol] of symbols.entries()) {
      const id = String(i + 1);
      history.create(id, { tokenSymbol });
      history.schedule(id);
      history.fund(id, 1_000_000n);
      history.nextBlock();
      history.sell(id, id, { pool: 0n, shares: [] });
    }
    await fixture.settle(history.facts);
    const { client, confirmationToken } = await signIn(fixture, ACME);
    const files: string[] = [];
    for (const format of ['csv', 'json'] as const) {
      const order = { kind: 'sales', format, confirmationToken } as const;
      const { data } = await client.reports.export(order);
      await make(fixture, data.id);
      const [row] = await fixture.pool<{ file_key: string }[]>`
        select file_key from commerce.report where id = ${data.id}`;
      files.push(await fixture.deps.files.get(row?.file_key ?? ''));
    }
    const [heading, ...lines] = readCsv(files[0] ?? '');
    const at = heading?.indexOf('tokenSymbol') ?? -1;
    const values = lines.map((line) => line[at]);
    expect(values).toEqual(symbols.map((text, i) => (i < 13 ? `'${text}` : text)));
    for (const cell of lines.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    const rows: { tokenSymbol: string }[] = JSON.parse(files[1] ?? '');
    expect(rows.map(({ tokenSymbol }) => tokenSymbol)).toEqual(symbols);
    await fixture.close();
  });
});

describe('reports of random histories', () => {
  it.each([3, 4, 5])(
    'writes reports of random histories (seed %i) that add up to the ledger',
    async (seed) => {
      const fixture = await ApiFixture.open();
      const facts = randomHistory({ seed, steps: 250, campaigns: 3 });
      await fixture.settle(facts);
      const merchants = await fixture.pool<{ merchant: `0x${string}` }[]>`
      select distinct merchant from ledger.campaign`;
      for (const { merchant } of merchants) {
        const { client, confirmationToken } = await signIn(fixture, merchant);
        const sums = new Map<string, bigint>();
        for (const kind of reportKinds) {
          const order = { kind, format: 'json', confirmationToken } as const;
          const { data } = await client.reports.export(order);
          await make(fixture, data.id);
          const [row] = await fixture.pool<{ file_key: string; rows: string }[]>`
          select file_key, rows from commerce.report where id = ${data.id}`;
          const text = await fixture.deps.files.get(row?.file_key ?? '');
          const rows: Record<string, string | null>[] = JSON.parse(text);
          const { data: preview } = await client.reports.preview({ kind });
          expect([preview.totalRows, Number(row?.rows)], kind).toEqual([rows.length, rows.length]);
          for (const one of rows) {
            for (const [name, value] of Object.entries(one)) {
              if (value === null || !/^-?[0-9]+$/.test(value)) continue;
              const key = `${kind} ${name}`;
              sums.set(key, (sums.get(key) ?? 0n) + BigInt(value));
              if (kind === 'payouts' && name === 'amount') {
                const paid = `payouts ${one.payout}`;
                sums.set(paid, (sums.get(paid) ?? 0n) + BigInt(value));
              }
            }
          }
        }
        const [ledger] = await fixture.pool<Record<string, string>[]>`
        select sum(pending_reserved) as held, sum(rewards_claimed) as rewards,
          sum(proceeds_claimed) as proceeds, sum(surplus_withdrawn) as surplus,
          sum(vested_unclaimed + rewards_claimed) as vested,
          (select coalesce(sum(amount), 0) from ledger.missed_reward
            join ledger.campaign using (campaign_id) where merchant = ${merchant}) as missed
        from ledger.campaign where merchant = ${merchant}`;
        const sum = (key: string) => String(sums.get(key) ?? 0n);
        const remaining = (sums.get('rewards vested') ?? 0n) - (sums.get('rewards reversed') ?? 0n);
        expect({
          held: sum('rewards held'),
          rewards: sum('payouts rewards'),
          proceeds: sum('payouts proceeds'),
          surplus: sum('payouts surplus'),
          vested: String(remaining),
          missed: sum('missed amount'),
        }).toEqual({ ...ledger });
      }
      await fixture.close();
    },
  );
});
