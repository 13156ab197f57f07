import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { runHere } from '../support/run-cli.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

/** A replay asks the database alone; the chain is only who the deployment is of. */
const CHAIN = {
  CHAIN_ID: '31337',
  RPC_URL: 'http://127.0.0.1:1',
  CONTRACT_ADDRESS: `0x${'c0'.repeat(20)}`,
  START_BLOCK: '0',
};

describe('tributary replay', () => {
  const facts = randomHistory({ seed: 44, steps: 150, campaigns: 2 });
  let database: TestDatabase;
  let fixture: SettleFixture;

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = await SettleFixture.open(database.url);
    await claimDeployment(fixture.pool, {
      ...{ chainId: 31_337, genesisHash: hash('genesis') },
      contractAddress: CHAIN.CONTRACT_ADDRESS as `0x${string}`,
    });
    await fixture.index(facts);
    await fixture.settle();
  });
  afterAll(async () => {
    await fixture?.pool.end();
    await database?.drop();
  });

  const run = (...args: string[]) =>
    runHere(['replay', ...args], { DATABASE_URL: database.url, ...CHAIN });

  it('shows the first difference, and then repairs it', async () => {
    const { pool } = fixture;
    const before = await dumpLedger(pool);
    const unchanged = await run('--from-block', '0', '--shadow');
    expect({ code: unchanged.code, stderr: unchanged.stderr }).toEqual({ code: 0, stderr: '' });
    expect(unchanged.stdout).toContain('2 equal');

    await pool`
      update ledger.entry set amount = amount + 3, reserved_after = reserved_after + 3
      where (campaign_id, seq, ordinal) in (
        select campaign_id, seq, ordinal from ledger.entry
        where campaign_id = 2 and kind = 'vest' order by seq limit 1)`;
    const shadow = await run('--from-block', '0', '--shadow');
    expect(shadow.code).toBe(1);
    expect(shadow.stdout).toMatch(/Campaign 2: differs/);
    expect(shadow.stdout).toMatch(
      /The first difference is at event \d+, RewardVested in block \d+/,
    );
    expect(shadow.stdout).toMatch(/entry\.amount +\d+ +\d+/);
    expect(shadow.stdout).toContain('Rows that differ: 1 of entry');
    await pool`
      update ledger.sale_level set reserved_after = reserved_after + 5
      where (campaign_id, sale_id, level) in (
        select campaign_id, sale_id, level from ledger.sale_level
        where campaign_id = 2 and share <> 0 order by sale_id limit 1)`;
    const both = await run('--from-block', '0', '--shadow');
    expect(both.stdout).toContain('Rows that differ: 1 of entry, 1 of sale_level');

    const repair = await run('--from-block', '0', '--campaign', '2', '--json');
    expect(repair.code).toBe(0);
    const { root, campaigns } = JSON.parse(repair.stdout);
    expect(campaigns).toMatchObject([{ campaignId: '2', outcome: 'repaired' }]);
    // Both were changed behind the digest's back: the digests were right all along.
    expect(root.after).toBe(root.before);
    expect(differences(before, await dumpLedger(pool))).toEqual([]);
  });

  it('rejects an unknown campaign, and exits 3 if the indexer is not ready', async () => {
    const unknown = await run('--from-block', '0', '--campaign', '99');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no campaign 99')]);
    await fixture.table.setReady(false);
    const waiting = await run('--from-block', '0', '--json');
    await fixture.table.setReady(true);
    expect(waiting.code).toBe(3);
    expect(JSON.parse(waiting.stdout).campaigns[0].reason).toContain('not ready');
  });
});
