import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { readHeads } from '../../engine/db/heads.ts';
import type { ChainEnv } from '../../engine/env.ts';
import { auditChore } from '../../engine/jobs/audit.ts';
import { audit, BlockReplacedError, runAudit } from '../../engine/settlement/audit.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { createCampaign, FAR_FUTURE, send } from '../support/actions.ts';
import { accountAt, startTestChain, type TestChain } from '../support/chain.ts';
import { chainFacts } from '../support/chain-facts.ts';
import { hash } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { runHere } from '../support/run-cli.ts';
import { Traffic } from '../support/traffic.ts';

/** A real contract, and a ledger of its events. */
describe('the audit', () => {
  let chain: TestChain;
  let fixture: ApiFixture;
  let chainEnv: ChainEnv;

  beforeAll(async () => {
    chain = await startTestChain();
    const traffic = await Traffic.start(chain, 41);
    await traffic.play(60);
    const attested = await createCampaign(chain, accountAt(chain.accounts, 0), traffic.token, {
      input: { trustMode: 2 },
    });
    const limits = [7n, 9n, FAR_FUTURE] as const;
    const [merchant, attester] = [0, 5].map((i) => accountAt(chain.accounts, i));
    if (merchant === undefined || attester === undefined) throw new Error('there are accounts');
    await send(chain, merchant, 'allowAttester', [attested, attester, ...limits]);
    chainEnv = {
      chainId: 31_337,
      rpcUrls: [chain.anvil.url],
      contractAddress: chain.contract,
      startBlock: Number(chain.startBlock),
    };
    const { genesisHash } = chain;
    fixture = await ApiFixture.open({
      deployment: { ...chainEnv, genesisHash, explorerUrl: null },
    });
    await fixture.settle(await chainFacts(chain));
  });
  afterAll(async () => {
    await fixture.close();
    await chain.stop();
  });

  it('finds nothing if ledger and contract agree, and stores its result for system.audit', async () => {
    const { system } = fixture.client();
    expect((await system.audit({})).data).toEqual({ last: null });
    const report = await runAudit(fixture.pool, contractReader(chainEnv));
    expect(report).toMatchObject({ campaigns: 4, discrepancies: 0, violations: [] });
    const { last } = (await system.audit({})).data;
    expect(last).toMatchObject({
      ok: true,
      block: { number: String(report.blockNumber), hash: report.blockHash },
      campaigns: 4,
      discrepancies: 0,
      violations: { count: 0, items: [] },
    });
    expect(Date.now() - Date.parse(last?.finishedAt ?? '')).toBeLessThan(60_000);
  });

  const damages: [string, (pool: Pool) => Promise<unknown>, object][] = [
    [
      'an amount that the contract has otherwise, though the ledger adds up',
      async (pool) => {
        for (const table of ['journal', 'campaign']) {
          await pool`
            update ${pool(`ledger.${table}`)} t
            set net_deposited = net_deposited + 1, available = available + 1
            where campaign_id = 2 ${
              table === 'journal'
                ? pool`and seq = (select max(seq) from ledger.journal where campaign_id = 2)`
                : pool``
            }`;
        }
      },
      { campaignId: '2', invariant: "the ledger equals the contract's", subject: 'available' },
    ],
    [
      'rewards that do not add up',
      (pool) => pool`update ledger.campaign set available = available + 1 where campaign_id = 1`,
      { campaignId: '1', invariant: 'rewards add up to netDeposited' },
    ],
    [
      'rewards that did not add up in the past',
      (pool) => pool`
        update ledger.journal set available = available + 1 where (campaign_id, seq) = (1, 4)`,
      { campaignId: '1', invariant: 'rewards add up to netDeposited', subject: 'at event 4' },
    ],
    [
      'proceeds that do not add up',
      (pool) =>
        pool`update ledger.campaign set buyer_refunded = buyer_refunded + 1 where campaign_id = 3`,
      { campaignId: '3', invariant: 'proceeds add up to the amounts of native sales' },
    ],
    [
      'a bucket',
      (pool) => pool`
        update ledger.bucket set at_risk = at_risk + 1 where (campaign_id, account) in (
          select campaign_id, account from ledger.bucket where campaign_id = 1 limit 1)`,
      { campaignId: '1', invariant: 'atRisk and readyToFinalize add up to pendingReserved' },
    ],
    [
      'a reservation',
      (pool) => pool`
        update ledger.sale_level set reserved_after = reserved_after + 1
        where (campaign_id, sale_id, level) in (
          select campaign_id, sale_id, level from ledger.sale_level
          where campaign_id = 1 and share <> 0 order by sale_id limit 1)`,
      { campaignId: '1', invariant: 'a movement changes reserved by its amount' },
    ],
    [
      'a reservation that is gone',
      (pool) => pool`
        update ledger.sale_level set reserved_after = null
        where (campaign_id, sale_id, level) in (
          select campaign_id, sale_id, level from ledger.sale_level
          where campaign_id = 1 and share <> 0 order by sale_id limit 1)`,
      { campaignId: '1', invariant: 'a movement changes reserved by its amount' },
    ],
    [
      'a reservation of another amount, though its balance fits',
      (pool) => pool`
        update ledger.sale_level set share = share + 1, reserved_after = reserved_after + 1
        where (campaign_id, sale_id, level) in (
          select campaign_id, sale_id, level from ledger.sale_level
          where campaign_id = 1 and share <> 0 order by sale_id limit 1)`,
      { campaignId: '1', invariant: 'a share is that of its event' },
    ],
    [
      'an entry',
      (pool) => pool`
        update ledger.entry set reserved_after = reserved_after + 1
        where (campaign_id, seq, ordinal) in (
          select campaign_id, seq, ordinal from ledger.entry
          where campaign_id = 1 order by seq limit 1)`,
      { campaignId: '1', invariant: 'a movement changes reserved by its amount' },
    ],
    [
      'sales whose events are in another order than their ids',
      (pool) => pool`
        update ledger.sale s set seq = other.seq
        from (
          select sale_id, seq, coalesce(lag(sale_id) over (order by sale_id),
            lead(sale_id) over (order by sale_id)) as partner
          from (select * from ledger.sale where campaign_id = 1 order by sale_id limit 2) two
        ) other
        where s.campaign_id = 1 and s.sale_id = other.partner`,
      { campaignId: '1', invariant: 'sales are numbered in the order of their events' },
    ],
    [
      'an event that is earlier than the one before it',
      (pool) => pool`
        update ledger.journal set block_timestamp = 1 where campaign_id = 1 and seq = 2`,
      { campaignId: '1', invariant: 'events are in the order of their times' },
    ],
    [
      'a sale with another time than its event',
      (pool) => pool`
        update ledger.sale set block_timestamp = block_timestamp + 1
        where sale_id = (select min(sale_id) from ledger.sale where campaign_id = 1)`,
      { campaignId: '1', invariant: 'a sale has the time of its event' },
    ],
    [
      'an entry of another amount',
      (pool) => pool`
        update ledger.entry set amount = amount + 1 where (campaign_id, seq, ordinal) in (
          select campaign_id, seq, ordinal from ledger.entry
          where campaign_id = 1 and kind = 'vest' order by seq limit 1)`,
      { campaignId: '1', invariant: 'a movement changes claimable by its amount' },
    ],
    [
      'a level',
      (pool) => pool`
        update ledger.sale_level set vested = vested + 1 where (campaign_id, sale_id, level) in (
          select campaign_id, sale_id, level from ledger.sale_level where campaign_id = 1 limit 1)`,
      { campaignId: '1', invariant: 'vested is the sum of its entries' },
    ],
    [
      'a level that holds a reward though its sale is over, as its newest entry has it too',
      async (pool) => {
        const level = pool`
          select campaign_id, sale_id, level, vested_seq from ledger.sale_level
          where vested_seq is not null and share <> 0 order by sale_id, level limit 1`;
        await pool`
          update ledger.entry e set held_after = 1 from (${level}) l
          where e.campaign_id = l.campaign_id and e.sale_id = l.sale_id and e.level = l.level
            and e.seq = (
              select max(seq) from ledger.entry
              where campaign_id = l.campaign_id and sale_id = l.sale_id and level = l.level
            )`;
        await pool`
          update ledger.sale_level t set reserved = 1 from (${level}) l
          where t.campaign_id = l.campaign_id and t.sale_id = l.sale_id and t.level = l.level`;
      },
      {
        invariant: 'a level of a sale that is not pending holds nothing',
        subject: expect.stringMatching(/^sale [0-9]+ level [0-9]$/),
        ...{ expected: '0', actual: '1' },
      },
    ],
    [
      'a sale that differs from its newest version',
      (pool) => pool`
        update ledger.sale set refunded_total = refunded_total + 1 where sale_id = 1`,
      { invariant: 'a sale equals its newest version', subject: 'sale 1' },
    ],
    [
      'a state that no event gave a sale',
      (pool) => pool`
        update ledger.sale set state = 'finalized', finalized_at = hold_until
        where sale_id = (${saleWithoutVersions(pool)})`,
      {
        invariant: 'a sale equals its newest version',
        ...{ expected: 'pending 0', actual: expect.stringMatching(/^finalized 0 [0-9]+$/) },
      },
    ],
    [
      'a refund that no event made',
      (pool) => pool`
        update ledger.sale set refunded_total = 1 where sale_id = (${saleWithoutVersions(pool)})`,
      { invariant: 'a sale equals its newest version', expected: 'pending 0', actual: 'pending 1' },
    ],
    [
      'a sale whose later states are gone',
      (pool) => pool`
        delete from ledger.sale_version where sale_id = (
          select min(sale_id) from ledger.sale where state = 'finalized')`,
      { invariant: 'a sale equals its newest version', expected: 'pending 0' },
    ],
    [
      'another time of a finalization',
      (pool) => pool`
        update ledger.sale set finalized_at = finalized_at + 1 where sale_id = (
          select min(sale_id) from ledger.sale where state = 'finalized')`,
      { invariant: 'a sale equals its newest version' },
    ],
    [
      'a limit of an attester',
      (pool) => pool`update ledger.permission set daily = daily + 1 where campaign_id = 4`,
      {
        campaignId: '4',
        invariant: "the attester's limits and day equal the contract's",
        subject: expect.stringMatching(/^0x[0-9a-f]{40} daily$/),
        ...{ expected: '9', actual: '10' },
      },
    ],
    [
      'a day of an attester',
      (pool) => pool`
        insert into ledger.attester_day (campaign_id, seq, account, day, attested)
        select campaign_id, seq, account, 20000, 5 from ledger.permission where campaign_id = 4`,
      { campaignId: '4', invariant: "an attester's day is the sum of its sales", actual: '5' },
    ],
    [
      'a cursor that is not at the newest event',
      (pool) => pool`update ledger.cursor set digest = ${hash('other')} where campaign_id = 2`,
      { campaignId: '2', invariant: 'the cursor is at the newest event' },
    ],
  ];

  it.each(damages)(
    'names campaign and amount of %s; a replay repairs it',
    async (_, damage, expected) => {
      const { pool } = fixture;
      await damage(pool);
      const { violations } = await audit(pool, contractReader(chainEnv));
      expect(violations).toContainEqual(expect.objectContaining(expected));
      await replay({
        pool,
        keccak256: keccak,
        fromBlock: 0,
        shadow: false,
        batchSize: 100,
        onProgress: () => {},
      });
      expect((await audit(pool, contractReader(chainEnv))).violations).toEqual([]);
    },
  );

  it('compares what the contract owes in each token with what it holds', async () => {
    const reader = contractReader(chainEnv);
    const { violations } = await audit(fixture.pool, {
      ...reader,
      tokenBalance: async (token, block) => ((await reader.tokenBalance(token, block)) ?? 0n) - 1n,
    });
    expect(violations).toMatchObject([
      { campaignId: 'all', invariant: "the contract's token balance covers all it owes" },
    ]);
  });

  it('compares what the contract says that it owes in each token with the sum of its ledgers', async () => {
    const reader = contractReader(chainEnv);
    const { violations, findings } = await audit(fixture.pool, {
      ...reader,
      obligations: async (tokens, block) =>
        (await reader.obligations(tokens, block)).map((owed) => owed - 1n),
    });
    expect(violations).toMatchObject([
      {
        campaignId: 'all',
        invariant: "the contract's obligations are the sum of its campaigns' ledgers",
      },
    ]);
    expect(findings).toMatchObject([{ campaignId: null, level: '1' }]);
  });

  it('continues if a token does not return the contract’s balance, and names that token', async () => {
    const reader = contractReader(chainEnv);
    // The contract itself has no balanceOf: asking it is asking a token that fails.
    const failing = await reader.tokenBalance(chain.contract, (await settledOf(fixture.pool)) ?? 0);
    expect(failing).toBeNull();
    const { findings, violations } = await audit(fixture.pool, {
      ...reader,
      tokenBalance: async () => null,
    });
    expect(violations).toMatchObject([{ campaignId: 'all', actual: 'no answer' }]);
    expect(findings).toMatchObject([
      { campaignId: null, sentence: expect.stringContaining('does not say') },
    ]);
    const away = contractReader({ ...chainEnv, rpcUrls: ['http://127.0.0.1:1'] });
    await expect(away.tokenBalance(chain.contract, 1)).rejects.toThrow();
  });

  it('rejects a block that the chain replaced meanwhile', async () => {
    const before = await fixture.pool`select count(*) from ledger.audit`;
    const reader = { ...contractReader(chainEnv), blockHash: async () => hash('another block') };
    await expect(runAudit(fixture.pool, reader)).rejects.toBeInstanceOf(BlockReplacedError);
    expect(await fixture.pool`select count(*) from ledger.audit`).toEqual(before);
  });

  it('runs as a chore that logs what differs, and stores the result', async () => {
    const { pool } = fixture;
    const logged: object[] = [];
    const log = { info: () => {}, warn: () => {}, error: (fields: object) => logged.push(fields) };
    const chore = auditChore(contractReader(chainEnv));
    const context = { ...fixture.deps, log, queue: { pushReport: none, pushChore: none } };
    await chore.run(context);
    expect(logged).toEqual([]);
    await pool`update ledger.campaign set available = available + 1 where campaign_id = 1`;
    await chore.run(context);
    await pool`update ledger.campaign set available = available - 1 where campaign_id = 1`;
    expect(logged).toMatchObject([{ discrepancies: 0, violations: [{ campaignId: '1' }, {}] }]);
    const { last } = (await fixture.client().system.audit({})).data;
    expect(last).toMatchObject({ ok: false, violations: { count: 2 } });
  });

  describe('tributary audit', () => {
    const run = (changes: Record<string, string> = {}) =>
      runHere(['audit', '--json'], {
        DATABASE_URL: fixture.databaseUrl,
        CHAIN_ID: '31337',
        RPC_URL: chain.anvil.url,
        CONTRACT_ADDRESS: chain.contract,
        START_BLOCK: String(chain.startBlock),
        ...changes,
      });

    it('exits 0 without violations, 1 with violations, 3 if it cannot decide', async () => {
      const good = await run();
      expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, campaigns: 4, violations: [] });

      const { pool } = fixture;
      await pool`update ledger.campaign set available = available + 5 where campaign_id = 1`;
      const bad = await run();
      const printed = await runHere(['audit'], {
        DATABASE_URL: fixture.databaseUrl,
        CHAIN_ID: '31337',
        RPC_URL: chain.anvil.url,
        CONTRACT_ADDRESS: chain.contract,
        START_BLOCK: String(chain.startBlock),
      });
      await pool`update ledger.campaign set available = available - 5 where campaign_id = 1`;
      expect(bad.code).toBe(1);
      const { ok, violations } = JSON.parse(bad.stdout);
      expect(ok).toBe(false);
      expect(violations[0]).toMatchObject({
        campaignId: '1',
        invariant: 'rewards add up to netDeposited',
      });
      expect(printed.stdout).toContain('rewards add up to netDeposited');
      expect(printed.stdout).toContain('Not all invariants hold.');

      const away = await run({ RPC_URL: 'http://127.0.0.1:1' });
      expect(away.code).toBe(3);
      expect(away.stderr).toContain('The audit could not be completed');
    });

    it('compares no ledger with another contract', async () => {
      const { code, stderr } = await run({ CONTRACT_ADDRESS: `0x${'11'.repeat(20)}` });
      expect(code).toBe(3);
      expect(stderr).toContain('This database holds the ledger of contractAddress');
    });

    it('names the missing variables if nothing runs', async () => {
      const { code, stderr } = await runHere(['audit'], { DATABASE_URL: fixture.databaseUrl });
      expect(code).toBe(1);
      expect(stderr).toContain('Set CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK');
    });
  });
});

async function none(): Promise<void> {}

async function settledOf(pool: Pool): Promise<number | undefined> {
  return (await readHeads(pool))?.settled?.number;
}

/** A select of the first sale that no event changed after it was recorded. */
function saleWithoutVersions(pool: Pool) {
  return pool`
    select min(sale_id) from ledger.sale where not exists (
      select 1 from ledger.sale_version version
      where version.campaign_id = sale.campaign_id and version.sale_id = sale.sale_id
    )`;
}
