import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Address } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { account, hash } from '../support/history.ts';

/** The most that one amount of the contract can be. */
const MAX_UINT256 = (1n << 256n) - 1n;
/** The first integer that `numeric(78, 0)` cannot hold. */
const BOUND = 10n ** 78n;

const MERCHANT = account(1_000);
const DISTRIBUTOR: Address = account(11);

/** End of a sale that reserved the whole budget, so that the next one can reserve it again. */
type Ending = 'refund' | 'refund in parts' | 'reverse' | 'keep pending';

/** Totals that the model expects of the campaign and of its one distributor. */
interface Totals {
  recorded: bigint;
  settledValue: bigint;
  refundedValue: bigint;
  refunded: bigint;
  reversed: bigint;
  atRisk: bigint;
}

/** A campaign of a hostile merchant, whose token can be minted without a limit. */
class HostileCampaign {
  readonly history = new HistoryBuilder();
  readonly expected: Totals = {
    recorded: 0n,
    settledValue: 0n,
    refundedValue: 0n,
    refunded: 0n,
    reversed: 0n,
    atRisk: 0n,
  };
  #sales = 0;
  #available = 0n;

  constructor(funded: bigint) {
    this.history.create('1', { trustMode: 'MERCHANT_ATTESTED' });
    this.history.schedule('1', {
      commissionBps: 10_000,
      maxRewardedAncestors: 1,
      weightsBps: [10_000],
      holdSeconds: 60,
    });
    this.history.fund('1', funded);
    this.#available = funded;
    this.history.join('1', '1');
    this.history.nextBlock();
  }

  /** Sells for the highest amount there is, and ends the sale. */
  sell(ending: Ending): void {
    const { history, expected } = this;
    this.#sales += 1;
    const saleId = String(this.#sales);
    const pool = this.#available;
    const holdUntil = history.time + 60;
    history.add('1', { name: 'SaleAttested', args: { saleId, signer: MERCHANT, nonce: saleId } });
    const shares = [pool];
    history.sell('1', saleId, { nodeId: '1', amount: MAX_UINT256, pool, shares, holdUntil });
    expected.recorded += MAX_UINT256;
    if (ending === 'keep pending') {
      this.#available = 0n;
      expected.atRisk += pool;
      return;
    }
    history.nextBlock(120);
    if (ending === 'reverse') this.#reverse(saleId, pool);
    else
      this.#refund(
        saleId,
        pool,
        ending === 'refund' ? [MAX_UINT256] : [1n, MAX_UINT256 / 3n, MAX_UINT256],
      );
    history.nextBlock();
  }

  #refund(saleId: string, pool: bigint, upTo: readonly bigint[]): void {
    let [before, held] = [0n, pool];
    for (const refundedTotal of upTo) {
      const left = (pool * (MAX_UINT256 - refundedTotal)) / MAX_UINT256;
      if (held > left) {
        const reward = { saleId, level: 1, nodeId: '1', amount: held - left };
        this.history.reward('1', 'RewardReleased', reward);
      }
      const amount = refundedTotal - before;
      const refund = { saleId, buyer: account(500), amount, refundedTotal };
      this.history.add('1', { name: 'SaleRefunded', args: { ...refund, reasonHash: hash('r') } });
      [before, held] = [refundedTotal, left];
    }
    this.expected.refundedValue += MAX_UINT256;
    this.expected.refunded += pool;
  }

  #reverse(saleId: string, pool: bigint): void {
    const { history, expected } = this;
    const reward = { saleId, level: 1, nodeId: '1', amount: pool };
    if (pool > 0n) history.reward('1', 'RewardVested', reward);
    history.finalize('1', saleId);
    if (pool > 0n) history.reward('1', 'RewardReversed', reward);
    history.add('1', { name: 'SaleReversed', args: { saleId, reasonHash: hash('reversal') } });
    expected.reversed += pool;
  }
}

describe('a campaign whose totals pass 10^78', () => {
  let fixture: ApiFixture;

  afterEach(() => fixture.close());

  async function expectAnswers(hostile: HostileCampaign): Promise<void> {
    const { expected, history } = hostile;
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    const names = JSON.stringify(history.facts.map(({ name }) => name));
    expect(await auditLedger(fixture.pool), names).toEqual([]);
    const { data: stats } = await fixture.client().campaigns.stats({ campaignId: '1' });
    const rewards = {
      atRisk: String(expected.atRisk),
      readyToFinalize: '0',
      claimable: '0',
      claimed: '0',
      refunded: String(expected.refunded),
      reversed: String(expected.reversed),
    };
    expect(stats.value, names).toEqual({
      recorded: String(expected.recorded),
      settled: String(expected.settledValue),
      refunded: String(expected.refundedValue),
    });
    expect(stats.rewards, names).toEqual(rewards);
    const distributor = await fixture.clientAs(DISTRIBUTOR);
    const { data: earned } = await distributor.earnings.summary({});
    expect(JSON.stringify(earned)).toContain(`"refunded":"${expected.refunded}"`);
    const merchant = await fixture.clientAs(MERCHANT);
    const { data: vault } = await merchant.vault.get({ campaignId: '1' });
    expect(JSON.stringify(vault)).toContain(String(MAX_UINT256 / 2n));
    const [status] = await fixture.pool<{ discrepancies: number; campaigns: number }[]>`
      select (select count(*)::int from ledger.discrepancy) as discrepancies,
        (select count(*)::int from ledger.cursor where stopped_at is null) as campaigns`;
    expect(status, names).toEqual({ discrepancies: 0, campaigns: 1 });
  }

  it('settles extreme amounts, and returns every amount exactly', async () => {
    const hostile = new HostileCampaign(MAX_UINT256 / 2n);
    for (let cycle = 0; cycle < 20; cycle += 1) hostile.sell('refund');
    for (let cycle = 0; cycle < 20; cycle += 1) hostile.sell('reverse');
    hostile.sell('keep pending');
    expect(hostile.expected.refunded).toBeGreaterThan(BOUND);
    expect(hostile.expected.reversed).toBeGreaterThan(BOUND);
    await expectAnswers(hostile);
  });

  it('settles whatever the order of refunds and reversals is', async () => {
    const endings: readonly Ending[] = ['refund', 'refund in parts', 'reverse'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...endings), { minLength: 36, maxLength: 50 }),
        async (cycles) => {
          const hostile = new HostileCampaign(MAX_UINT256 / 2n);
          for (const ending of cycles) hostile.sell(ending);
          await expectAnswers(hostile);
          await fixture.close();
        },
      ),
      { numRuns: 4, endOnFailure: true },
    );
    fixture = await ApiFixture.open();
  }, 240_000);
});

describe('the columns of the ledger', () => {
  it('stores every amount of the ledger in columns without a limit, because exceeding one would stop a campaign', async () => {
    const fixture = await ApiFixture.open();
    try {
      const bounded = await fixture.pool`
        select table_name, column_name from information_schema.columns
        where table_schema = 'ledger' and data_type = 'numeric' and numeric_precision is not null`;
      expect([...bounded]).toEqual([]);
    } finally {
      await fixture.close();
    }
  });
});
