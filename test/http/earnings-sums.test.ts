import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../engine/core/events.ts';
import { earningsOfCampaigns, earningsSummary } from '../../engine/db/read/earnings/balances.ts';
import { listClaimable } from '../../engine/db/read/earnings/claimable.ts';
import { readLedger } from '../../engine/db/read/snapshot.ts';
import { randomHistory } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';

const SEED = 815;

describe('the earnings of an account', () => {
  let fixture: ApiFixture;
  let accounts: readonly Address[];
  let blocks: readonly { number: number; hash: `0x${string}`; timestamp: number }[];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(randomHistory({ seed: SEED, steps: 300, campaigns: 2 }));
    const owners = await fixture.pool<{ owner: Address }[]>`
      select owner from ledger.node group by owner order by count(*) desc, owner`;
    accounts = owners.slice(0, 6).map(({ owner }) => owner);
    const places = await fixture.pool<{ n: string; h: `0x${string}`; t: string }[]>`
      select block_number as n, min(block_hash) as h, min(block_timestamp) as t
      from ledger.journal group by block_number order by block_number`;
    blocks = places.map(({ n, h, t }) => ({ number: Number(n), hash: h, timestamp: Number(t) }));
  });
  afterAll(() => fixture.close());

  it('computes the same earnings from balances as from levels, however far settlement is ahead', async () => {
    let [held, ready] = [0, 0];
    for (const [i, at] of blocks.entries()) {
      if (i % Math.ceil(blocks.length / 10) !== 0 && i < blocks.length - 3) continue;
      for (const account of accounts) {
        await readLedger(
          fixture.pool,
          async (snapshot) => {
            const context = `seed ${SEED}: ${account} at block ${at.number}`;
            const byLevels = await earningsSummary(snapshot, account);
            const byBalances = await earningsSummary({ ...snapshot, past: false }, account);
            expect(byBalances, context).toEqual(byLevels);
            const amongHeld = await earningsSummary({ ...snapshot, past: false }, account, {
              fewConversions: 0,
            });
            expect(amongHeld, context).toEqual(byLevels);
            const campaigns = await earningsOfCampaigns(snapshot, { account });
            expect(
              await earningsOfCampaigns({ ...snapshot, past: false }, { account }),
              context,
            ).toEqual(campaigns);
            const due = [...campaigns.values()]
              .map(({ campaignId, rewards: { claimable, readyToFinalize } }) => ({
                campaignId,
                claimable,
                readyToFinalize,
              }))
              .filter(({ claimable, readyToFinalize }) => claimable + readyToFinalize > 0n)
              .sort((a, b) => Number(b.campaignId) - Number(a.campaignId));
            const listed = await listClaimable(snapshot, account, { after: undefined, limit: 100 });
            expect(
              listed.map(({ saleIds: _, ...rest }) => rest),
              context,
            ).toEqual(due);
            const amongPending = await listClaimable(snapshot, account, {
              ...{ after: undefined, limit: 100, fewConversions: 0 },
            });
            expect(amongPending, context).toEqual(listed);
            ready += listed.filter(({ readyToFinalize }) => readyToFinalize > 0n).length;
            if (byLevels.nextReleaseAt !== null) held += 1;
          },
          at,
        );
      }
    }
    expect(held).toBeGreaterThan(5);
    expect(ready).toBeGreaterThan(5);
  });
});
