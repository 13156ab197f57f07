import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address, Fact } from '../../engine/core/events.ts';
import { settledValues } from '../../engine/db/read/merchants/settled-values.ts';
import { merchantStake } from '../../engine/db/read/merchants/stake.ts';
import { readLedger } from '../../engine/db/read/snapshot.ts';
import { randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';

const SEEDS = [5, 17];
const EVER = { from: 0, to: 10_000_000_000 };

/** What keeps merchants from closing, held against the rows that hold the newest state. */
describe.each(SEEDS)('what is at stake in the random history of seed %i', (seed) => {
  const facts = randomHistory({ seed, steps: 400, campaigns: 4 });
  let ahead: ApiFixture;

  beforeAll(async () => {
    ahead = await ApiFixture.open();
    await ahead.settle(facts);
  });
  afterAll(() => ahead.close());

  it('sums the stake of a merchant from its newest rows, and as of a past block', async () => {
    for (const part of [0.3, 0.6, 1]) {
      const last = facts[Math.ceil(facts.length * part) - 1]?.blockNumber ?? 0;
      const until = facts.filter(({ blockNumber }) => blockNumber <= last);
      const stopped = await ApiFixture.open();
      await stopped.settle(until);
      await settleHeadAt(ahead, until);
      const merchants = await merchantsOf(stopped);
      expect(merchants.length).toBeGreaterThan(0);
      for (const merchant of merchants) {
        const reported = await reportedOf(stopped, merchant);
        expect(await reportedOf(ahead, merchant)).toEqual(reported);
        expect(reported).toEqual(await newestOf(stopped, merchant));
      }
      await stopped.close();
    }
  });
});

async function settleHeadAt({ pool }: ApiFixture, facts: readonly Fact[]): Promise<void> {
  const last = facts.at(-1);
  if (last === undefined) return;
  await pool`
    update ledger.head set settled_number = ${last.blockNumber},
      settled_hash = ${last.blockHash}, settled_timestamp = ${last.timestamp}`;
}

async function merchantsOf({ pool }: ApiFixture): Promise<Address[]> {
  const rows = await pool<{ merchant: Address }[]>`select distinct merchant from ledger.campaign`;
  return rows.map(({ merchant }) => merchant);
}

/** The totals, as sums over all tokens. */
async function reportedOf({ pool }: ApiFixture, merchant: Address) {
  return await readLedger(pool, async (snapshot) => {
    const { pending, unclaimed, proceeds } = await merchantStake(snapshot, merchant);
    const settled = await settledValues(snapshot, merchant, EVER);
    const sum = (amounts: readonly { readonly amount: bigint }[]) =>
      amounts.reduce((total, { amount }) => total + amount, 0n);
    return {
      sales: pending.sales,
      held: sum(pending.held),
      accounts: unclaimed.accounts,
      rewards: sum(unclaimed.rewards),
      campaigns: proceeds.campaigns,
      proceeds: sum(proceeds.amounts),
      settled: sum(settled),
    };
  });
}

/** The stake by sales, buckets and campaigns in their newest state, which the reads do not use. */
async function newestOf({ pool }: ApiFixture, merchant: Address) {
  const [campaigns] = await pool`
    select coalesce(sum(proceeds_pending + pending_reserved), 0) as held,
      count(*) filter (where proceeds_claimable <> 0) as campaigns,
      coalesce(sum(proceeds_claimable), 0) as proceeds
    from ledger.campaign where merchant = ${merchant}`;
  const [sales] = await pool`
    select count(*) filter (where state = 'pending') as pending,
      coalesce(sum(amount - refunded_total) filter (where state = 'finalized'), 0) as settled
    from ledger.sale join ledger.campaign using (campaign_id) where merchant = ${merchant}`;
  const [buckets] = await pool`
    select count(distinct account) as accounts, coalesce(sum(claimable), 0) as rewards
    from ledger.bucket join ledger.campaign using (campaign_id)
    where merchant = ${merchant} and claimable <> 0`;
  return {
    sales: Number(sales?.pending),
    held: BigInt(campaigns?.held),
    accounts: Number(buckets?.accounts),
    rewards: BigInt(buckets?.rewards),
    campaigns: Number(campaigns?.campaigns),
    proceeds: BigInt(campaigns?.proceeds),
    settled: BigInt(sales?.settled),
  };
}
