import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ContractReader } from '../../engine/chain/contract-reader.ts';
import { owedByContract } from '../../engine/core/campaign.ts';
import { ledgersAt } from '../../engine/db/audit/audit.ts';
import { acknowledgeAlarm, unacknowledgeAlarm } from '../../engine/db/commerce/alarm-decisions.ts';
import { listAlarms } from '../../engine/db/read/system/alarms.ts';
import { stopCampaign } from '../../engine/db/write/cursor.ts';
import type { AuditReport } from '../../engine/settlement/audit.ts';
import { runAudit } from '../../engine/settlement/audit.ts';
import { account } from '../support/history.ts';
import { runHere } from '../support/run-cli.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

const TOKEN = account(1);
const MERCHANT = account(1_000);
const AUTHOR = 'command line';
const KEYS = {
  stopped: 'campaign-stopped/campaign/3',
  discrepancies: 'discrepancies/campaign/2',
  token: `audit-failed/token/${TOKEN}/the contract's token balance covers all it owes`,
};

describe('alarms about campaigns and tokens', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    const { pool } = fixture;
    await pool`truncate ledger.audit_finding, ledger.discrepancy, commerce.alarm_decision`;
    await pool`update ledger.cursor set stopped_at = null, stopped_reason = null`;
  });

  async function status() {
    const { data } = await fixture.client().system.status();
    return { status: data.status, alarms: data.alarms, acknowledged: data.acknowledgedAlarms };
  }

  const acknowledge = (key: string, reason: string) =>
    acknowledgeAlarm(fixture.pool, { key, reason, by: AUTHOR });
  const unacknowledge = (key: string, reason: string) =>
    unacknowledgeAlarm(fixture.pool, { key, reason, by: AUTHOR });

  async function addDiscrepancies(campaignId: number, seq: number): Promise<void> {
    await fixture.pool`
      insert into ledger.discrepancy (campaign_id, seq, ordinal, kind, expected, actual)
      values (${campaignId}, ${seq}, 0, 'POOL', '1', '2')`;
  }

  /** An audit by a contract that agrees with the ledger, except that it holds less of the token. */
  async function auditWithBalance(held: bigint): Promise<AuditReport> {
    const { pool } = fixture;
    const rows = await pool<{ hash: `0x${string}` }[]>`
      select settled_hash as hash from ledger.head`;
    const contract: ContractReader = {
      campaignLedgers: async (ids) => {
        const all = await ledgersAt(pool, 1_000_000);
        return ids.map((id) => {
          const found = all.find(({ campaignId }) => campaignId === id);
          if (found === undefined) throw new Error(`there is no campaign ${id}`);
          return found.ledger;
        });
      },
      obligations: async (tokens) => {
        const all = await ledgersAt(pool, 1_000_000);
        return tokens.map((token) => {
          const own = all.filter((one) => one.token === token);
          return own.reduce((total, { ledger }) => total + owedByContract(ledger), 0n);
        });
      },
      attesterLimits: async () => [],
      tokenBalance: async () => held,
      blockHash: async () => rows[0]?.hash ?? null,
    };
    return await runAudit(pool, contract);
  }

  it('alarms about campaigns and tokens no longer need attention once acknowledged, and stay listed with the reason', async () => {
    expect((await status()).status).toBe('ok');
    await stopCampaign(fixture.pool, '3', 'a fact is gone');
    await addDiscrepancies(2, 1);
    expect(await status()).toEqual({
      status: 'attention',
      alarms: ['Settlement stopped campaign 3: a fact is gone', 'Campaign 2 has 1 discrepancy.'],
      acknowledged: 0,
    });
    const decision = await acknowledge(KEYS.stopped, 'A worthless token.');
    expect(decision).toMatchObject({ action: 'acknowledge', by: AUTHOR, key: KEYS.stopped });
    expect((await status()).alarms).toEqual(['Campaign 2 has 1 discrepancy.']);
    await acknowledge(KEYS.discrepancies, 'Looked into.');
    expect(await status()).toEqual({ status: 'ok', alarms: [], acknowledged: 2 });
    expect((await fixture.app().request('/ready')).status).toBe(200);
    const items = await listAlarms(fixture.pool, { state: 'acknowledged', limit: 10 });
    expect(items).toMatchObject([
      { key: KEYS.stopped, acknowledged: { by: AUTHOR, reason: 'A worthless token.' } },
      { key: KEYS.discrepancies, acknowledged: { reason: 'Looked into.' } },
    ]);

    await unacknowledge(KEYS.stopped, 'It comes again.');
    expect((await status()).alarms).toEqual(['Settlement stopped campaign 3: a fact is gone']);
    expect(await unacknowledge(KEYS.stopped, 'Twice.')).toBeUndefined();
  });

  it('alarms about campaigns and tokens reappear when they get worse, or when another campaign, kind or token has one', async () => {
    await addDiscrepancies(2, 1);
    await acknowledge(KEYS.discrepancies, 'One is known.');
    expect((await status()).status).toBe('ok');
    await addDiscrepancies(2, 2);
    expect((await status()).alarms).toEqual(['Campaign 2 has 2 discrepancies.']);
    await acknowledge(KEYS.discrepancies, 'Two are known.');
    await addDiscrepancies(1, 1);
    expect((await status()).alarms).toEqual(['Campaign 1 has 1 discrepancy.']);
    await fixture.pool`delete from ledger.discrepancy where campaign_id = 1`;
    await stopCampaign(fixture.pool, '2', 'first');
    const stopped = 'campaign-stopped/campaign/2';
    expect((await status()).alarms).toHaveLength(1);
    await acknowledge(stopped, 'Known.');
    expect((await status()).status).toBe('ok');
    // It was started, and is stopped again later: that is another stop.
    await fixture.pool`update ledger.cursor set stopped_at = null where campaign_id = 2`;
    await stopCampaign(fixture.pool, '2', 'second');
    expect((await status()).alarms).toEqual(['Settlement stopped campaign 2: second']);
  });

  it('alarms about a token that transfers too much are acknowledged up to the missing amount', async () => {
    const healthy = await auditWithBalance(10n ** 30n);
    expect(healthy.violations).toEqual([]);
    await auditWithBalance(50_000n);
    const [first] = (await status()).alarms;
    expect(first).toContain(`The contract holds 50000 base units of token ${TOKEN}`);
    await acknowledge(KEYS.token, 'It debits its sender.');
    expect((await status()).status).toBe('ok');
    await auditWithBalance(50_000n);
    expect((await status()).status).toBe('ok');
    await auditWithBalance(49_999n);
    expect((await status()).alarms).toHaveLength(1);
    await auditWithBalance(10n ** 30n);
    expect(await status()).toEqual({ status: 'ok', alarms: [], acknowledged: 0 });
  });

  it('alarms about campaigns and tokens of one merchant or token are acknowledged in one call, later ones of that name included', async () => {
    const key = `campaign-stopped/merchant/${MERCHANT}/*`;
    await acknowledge(key, 'A vandal.');
    await stopCampaign(fixture.pool, '1', 'poisoned');
    await stopCampaign(fixture.pool, '3', 'poisoned');
    expect(await status()).toEqual({ status: 'ok', alarms: [], acknowledged: 2 });
    // Another merchant's campaign, and another kind of alarm, show.
    await stopCampaign(fixture.pool, '2', 'poisoned');
    await addDiscrepancies(1, 1);
    expect((await status()).alarms.sort()).toEqual([
      'Campaign 1 has 1 discrepancy.',
      'Settlement stopped campaign 2: poisoned',
    ]);
    await acknowledge(`discrepancies/token/${TOKEN}/*`, 'Junk.');
    expect((await status()).alarms).toEqual(['Settlement stopped campaign 2: poisoned']);
    await unacknowledge(key, 'They are serious after all.');
    expect((await status()).alarms).toHaveLength(3);
  });

  it('alarms about campaigns and tokens are limited in the status, with a count of the rest, and all listed elsewhere', async () => {
    const { pool } = fixture;
    await pool`
      insert into ledger.cursor (campaign_id, digest, stopped_at, stopped_reason)
      select n, ${`0x${'0'.repeat(64)}`}, now(), 'poisoned' from generate_series(1000, 1249) n`;
    const { alarms } = await status();
    expect(alarms).toHaveLength(101);
    expect(alarms.at(-1)).toContain('150 more alarms');
    const all = await listAlarms(pool, { limit: 500 });
    expect(new Set(all.map(({ key }) => key)).size).toBe(250);
    await pool`delete from ledger.cursor where campaign_id >= 1000`;
  });

  it('alarms about campaigns and tokens name a campaign whose id the contract cannot have given', async () => {
    const { pool } = fixture;
    await pool`
      insert into ledger.refused_campaign (indexer_schema, campaign_id, block_number)
      select indexer_schema, 0, 1 from ledger.head`;
    expect((await status()).alarms).toEqual([
      'Settlement refuses the facts of campaign 0: the contract cannot have given that id.',
    ]);
    await pool`truncate ledger.refused_campaign`;
  });

  it('alarms about campaigns and tokens are listed and acknowledged from the command line', async () => {
    const run = (...args: string[]) =>
      runHere(['alarms', ...args], {
        DATABASE_URL: fixture.databaseUrl,
        CHAIN_ID: '31337',
        RPC_URL: 'http://127.0.0.1:1',
        CONTRACT_ADDRESS: account(0xc0ffee),
        START_BLOCK: '0',
      });
    await stopCampaign(fixture.pool, '3', 'a fact is gone');
    const open = await run();
    expect({ code: open.code, stderr: open.stderr }).toEqual({ code: 1, stderr: '' });
    expect(open.stdout).toContain('Settlement stopped campaign 3: a fact is gone');
    const done = await run('acknowledge', KEYS.stopped, '--reason', 'Known.');
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: '' });
    const afterwards = await run('--json');
    expect(afterwards.code).toBe(0);
    expect(JSON.parse(afterwards.stdout)).toMatchObject({
      counts: { acknowledged: 1 },
      items: [{ key: KEYS.stopped, acknowledged: { by: 'command line', reason: 'Known.' } }],
    });
    expect((await status()).status).toBe('ok');
    const back = await run('unacknowledge', KEYS.stopped, '--reason', 'It matters.');
    expect(back.code).toBe(0);
    expect((await status()).status).toBe('attention');
    const unknown = await run('acknowledge', 'campaign-stopped/campaign/99', '--reason', 'x');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no alarm')]);
    const twice = await run('unacknowledge', KEYS.stopped, '--reason', 'Twice.');
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('not acknowledged')]);
  });
});
