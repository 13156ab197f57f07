import { describe, expect, it } from 'vitest';
import { openKeccak } from '../../../engine/chain/keccak.ts';
import type { VirtualFaultName } from './faults.ts';
import { play } from './play.ts';

describe('the virtual simulator', () => {
  it.each([1, 2])('finds nothing wrong in a short history of seed %i', async (seed) => {
    const outcome = await play(seed, 1_200);
    expect(outcome.failure).toBeUndefined();
    expect(outcome.rounds.length).toBeGreaterThanOrEqual(3);
    expect(outcome.sales).toBeGreaterThan(50);
    expect(outcome.reads).toBeGreaterThan(10);
  });

  it('plays the same history again from the same seed', async () => {
    const mix: readonly VirtualFaultName[] = ['reorg', 'killInBatch', 'workers', 'flip'];
    const [one, other] = [await play(5, 300, { mix }), await play(5, 300, { mix })];
    expect(one.failure).toBeUndefined();
    expect(other.root).toBe(one.root);
    expect(other.steps).toBe(one.steps);
    expect((await play(6, 300, { mix })).root).not.toBe(one.root);
  });
});

describe('the checks of the virtual simulator', () => {
  const mix: readonly VirtualFaultName[] = ['workers'];

  it('fails if settlement computes other digests than the chain gives', async () => {
    const keccak256 = await openKeccak();
    const wrong = (bytes: Uint8Array) => keccak256(bytes).map((byte) => byte ^ 1);
    const outcome = await play(7, 500, {
      mix,
      prepare: async ({ settlement }) => {
        settlement.keccak256 = wrong;
      },
    });
    expect(outcome.failure?.message).toContain('with a digest of no fork');
  });

  it.each([
    ['an account gets a unit too much', 'bucket', 'new.claimable := new.claimable + 1'],
    ['a hold that is over is not noticed', 'bucket', 'new.ready_to_finalize := 0'],
    ['a refund is not noticed', 'sale', 'new.refunded_total := 0'],
  ])('fails if %s', async (_what, table, statement) => {
    const outcome = await play(7, 500, {
      mix,
      prepare: async ({ pool }) => {
        await pool.unsafe(`
          create function ledger.sabotage() returns trigger language plpgsql as
          $$ begin ${statement}; return new; end $$;
          create trigger sabotage before insert or update on ledger.${table}
          for each row execute function ledger.sabotage()`);
      },
    });
    // Found in the rows, or in the digests that follow from them, whichever is read first.
    expect(outcome.failure?.message).toMatch(/expected .*, found|with a digest of no fork/);
  });

  it('fails if the fold is wrong in memory as well, because the contract has other accounts', async () => {
    const outcome = await play(7, 400, {
      mix,
      prepare: async ({ chain }) => {
        const [campaign] = chain.contract.campaigns;
        if (campaign !== undefined) campaign.ledger.available += 1n;
      },
    });
    expect(outcome.failure?.message).toContain("the ledger equals the contract's");
  });

  it('fails if the indexer loses an event', async () => {
    const outcome = await play(7, 400, {
      mix,
      prepare: async ({ indexer, pool }) => {
        await pool.unsafe(`
          create function ${indexer.schema}.lose() returns trigger language plpgsql as
          $$ begin if new.name = 'SaleRecorded' then return null; end if; return new; end $$;
          create trigger lose before insert on ${indexer.schema}.chain_event
          for each row execute function ${indexer.schema}.lose()`);
      },
    });
    expect(outcome.failure?.message).toContain('it does not settle');
  });
});
