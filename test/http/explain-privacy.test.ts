import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { optionalResources } from '../../engine/contract/registry.ts';
import * as purges from '../../engine/db/commerce/purges.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { confirmed } from './support/confirmed.ts';
import { fillAccount } from './support/fill-account.ts';
import { smallHistory } from './support/small-history.ts';
import { isOfTables, StatementLog } from './support/statements.ts';

const PERSON = account(6_000);

describe('the statements that export, delete and purge what is stored about accounts', () => {
  let fixture: ApiFixture;
  let log: StatementLog;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ enabled: new Set(optionalResources) });
    await fixture.settle(smallHistory().history.facts);
    await fillAccount(fixture, PERSON, 'explained');
    log = new StatementLog(fixture);
  });
  afterAll(async () => {
    await log?.pool.end();
    await fixture.close();
  });

  /** What the recorded statements read whole. */
  async function scans(): Promise<[text: string, whole: string[]][]> {
    const statements = log.sent.splice(0);
    expect(statements.some(isOfTables)).toBe(true);
    return await log.wholeReadsOf(statements);
  }

  it('a page of an export is one statement that reads each table by an index', async () => {
    const { client } = await confirmed(fixture, PERSON, { pool: log.pool });
    const { data } = await client.account.export({ limit: 5 });
    log.sent.length = 0;
    await client.account.export({ limit: 5, cursor: data.nextCursor ?? '' });
    expect(log.sent.filter(({ text }) => text.includes('commerce.exported'))).toHaveLength(1);
    expect(await scans()).toEqual([]);
  });

  it('a deletion finds its rows by indexes', async () => {
    const { client, confirmationToken } = await confirmed(fixture, PERSON, { pool: log.pool });
    log.sent.length = 0;
    expect((await client.account.delete({ confirmationToken })).data.deleted).toBe(true);
    expect(await scans()).toEqual([]);
  });

  const { deletedFiles, forgetFile, ...byAge } = purges;

  it.each(Object.entries(byAge))('%s finds old rows by an index', async (_name, purge) => {
    log.sent.length = 0;
    await purge(log.pool as never, new Date());
    expect(await scans()).toEqual([]);
  });

  it('a worker finds files of deleted accounts by an index', async () => {
    log.sent.length = 0;
    for (const key of await deletedFiles(log.pool as never)) {
      await forgetFile(log.pool as never, key);
    }
    expect(await scans()).toEqual([]);
  });
});
