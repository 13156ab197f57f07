import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { fillAccount } from '../http/support/fill-account.ts';
import { smallHistory } from '../http/support/small-history.ts';
import { account } from '../support/history.ts';
import { runHere } from '../support/run-cli.ts';

/** The commands read the database alone; the chain only identifies the deployment. */
const CHAIN = {
  CHAIN_ID: '31337',
  RPC_URL: 'http://127.0.0.1:1',
  CONTRACT_ADDRESS: account(0xc0ffee),
  START_BLOCK: '0',
};
const PERSON = account(8_000);

describe('tributary account', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await fillAccount(fixture, PERSON, 'asked-for');
  });
  afterAll(() => fixture.close());

  const run = (...args: string[]) =>
    runHere(['account', ...args], { DATABASE_URL: fixture.databaseUrl, ...CHAIN });

  it('exports what is stored about an account, without secrets', async () => {
    const { code, stdout, stderr } = await run('export', PERSON);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows: { table: string; record: Record<string, unknown> }[] = JSON.parse(stdout);
    expect(rows.find(({ table }) => table === 'merchant')?.record).toMatchObject({
      address: PERSON,
      slug: 'asked-for',
    });
    expect(stdout).not.toMatch(/"(token_hash|secret|sealed_token|unsubscribe_token)":/);
    const none = await run('export', account(8_001));
    expect(JSON.parse(none.stdout)).toEqual([]);
  });

  it('deletes an account only if that is confirmed and nothing of it is open', async () => {
    expect((await run('delete', PERSON)).code).toBe(2);
    const open = await run('delete', account(1_000), '--yes');
    expect(open.code).toBe(1);
    expect(open.stdout).toContain('2 campaigns take sales');
    const { code, stdout } = await run('delete', PERSON, '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { deleted: true, blockers: [] }]);
    const { stdout: left } = await run('export', PERSON);
    expect(left).not.toContain('help@asked-for.example');
  });
});
