import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { exampleInputs, sendExample, served } from './support/record-example.ts';
import { SampleApi } from './support/sample-api.ts';
import { StatementLog } from './support/statements.ts';

/** Of one row, of a row of each error, or of the findings and decisions about what is wrong now. */
const SMALL =
  / (distributor_ranking_state|deployment|feeder_error_pkey|audit_finding|alarm_decision_key)$/;

/** Methods that count all campaigns, or name the state of each, by an index of all campaigns. */
const OF_ALL_CAMPAIGNS = ['campaigns.list', 'system.digest', 'system.activity', 'blocks.get'];
const ALL_CAMPAIGNS = /^whole Index (Only )?Scan of campaign_\w+$/;

describe('the statements of each method that a deployment can serve', () => {
  let sample: SampleApi;
  let log: StatementLog;

  beforeAll(async () => {
    sample = await SampleApi.open();
    // Otherwise the first list of distributors makes it, which reads all accounts.
    await refreshRanking(sample.fixture.pool);
    log = new StatementLog(sample.fixture);
  });
  afterAll(async () => {
    await log?.pool.end();
    await sample?.close();
  });

  it('find their rows by indexes in the request of its example', async () => {
    const pool = log.pool as never;
    const methodOf = new Map(served);
    const unindexed = [];
    const explained = new Set<string>();
    for (const name of Object.keys(exampleInputs)) {
      const method = methodOf.get(name);
      if (method === undefined) throw new Error(`${name} names no method`);
      log.sent.length = 0;
      await sendExample(sample, name, method, { pool });
      const sent = log.sent.splice(0);
      if (sent.length > 0) explained.add(name);
      for (const [statement, whole] of await log.wholeReadsOf(sent)) {
        for (const read of whole) {
          const isOfAll = OF_ALL_CAMPAIGNS.includes(name) && ALL_CAMPAIGNS.test(read);
          if (!isOfAll && !SMALL.test(read)) unindexed.push({ name, read, statement });
        }
      }
    }
    expect(unindexed).toEqual([]);
    expect(explained.size).toBeGreaterThan(served.length / 2);
  }, 300_000);
});
