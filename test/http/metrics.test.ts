import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('/metrics', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(async () => {
    await fixture.close();
  });

  /** The samples of the text format, by name and labels. */
  async function scrape(app: ReturnType<ApiFixture['app']>): Promise<Map<string, number>> {
    const response = await app.request('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
    return new Map(
      lines.map((line): [string, number] => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
  }

  it('counts requests by method and status, and nothing by path', async () => {
    const app = fixture.app();
    await app.request('/v1/campaigns/1');
    await app.request('/v1/campaigns/2');
    await app.request('/v1/campaigns/999');
    await app.request('/v1/receipts?limit=0');
    await app.request('/nothing/of/this/name');
    const samples = await scrape(app);
    const of = (method: string, status: number) =>
      samples.get(`tributary_http_requests_total{method="${method}",status="${status}"}`);
    expect(of('campaigns.get', 200)).toBe(2);
    expect(of('campaigns.get', 404)).toBe(1);
    expect(of('receipts.recent', 400)).toBe(1);
    expect(of('other', 404)).toBe(1);
    expect(samples.get('tributary_http_request_seconds_count{method="campaigns.get"}')).toBe(3);
    expect([...samples.keys()].filter((key) => key.includes('nothing'))).toEqual([]);
  });

  it('reports when the newest backup was completed, and 0 without one', async () => {
    const at = async () => {
      const samples = await scrape(fixture.app());
      return samples.get('tributary_backup_timestamp_seconds');
    };
    expect(await at()).toBe(0);
    await fixture.pool`
      insert into commerce.backup (id, finished_at, bytes)
      values ('b-2', '2026-01-02T00:00:00Z', 1), ('b-1', '2026-01-01T00:00:00Z', 1)`;
    expect(await at()).toBe(Date.parse('2026-01-02T00:00:00Z') / 1_000);
    const { data } = await fixture.client().system.status({});
    expect(data.lastBackupAt).toBe('2026-01-02T00:00:00.000Z');
  });

  it('reports the same totals as the ledger', async () => {
    const samples = await scrape(fixture.app());
    const [row] = await fixture.pool<
      { campaigns: number; events: number; sales: number; settled: number; head: number }[]
    >`
      select (select count(*)::int from ledger.campaign) as campaigns,
        (select count(*)::int from ledger.journal) as events,
        (select count(*)::int from ledger.sale) as sales,
        (select count(*)::int from ledger.sale where state = 'finalized') as settled,
        (select settled_number::int from ledger.head) as head`;
    if (row === undefined) throw new Error('no row');
    const ledger = (what: string) => samples.get(`tributary_ledger{what="${what}"}`);
    expect(row.sales).toBeGreaterThan(0);
    expect(ledger('campaigns')).toBe(row.campaigns);
    expect(ledger('events')).toBe(row.events);
    expect(ledger('sales')).toBe(row.sales);
    expect(ledger('settled_sales')).toBe(row.settled);
    expect(samples.get('tributary_block{head="settled"}')).toBe(row.head);
    expect(samples.get('tributary_discrepancies')).toBe(0);
    expect(samples.get('tributary_queue_jobs{state="waiting"}')).toBe(0);
    expect(samples.get('tributary_up{part="ledger"}')).toBe(1);
    expect(samples.get('process_start_time_seconds')).toBeGreaterThan(0);
  });

  it('responds while a part is unreachable, and names that part', async () => {
    const queueStats = () => Promise.reject(new Error('away'));
    const samples = await scrape(fixture.app({ queueStats }));
    expect(samples.get('tributary_up{part="queue"}')).toBe(0);
    expect(samples.get('tributary_alarms{name="queue-away"}')).toBe(1);
    expect(samples.get('tributary_alarms{name="audit-failed"}')).toBe(0);
    expect(samples.get('tributary_up{part="ledger"}')).toBe(1);
  });
});
