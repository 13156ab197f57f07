import { afterAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger, type LedgerDump } from '../support/ledger.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';

const CAMPAIGNS = 3;

describe('settlement', () => {
  const fixtures = new SettleFixtures();

  afterAll(() => fixtures.close());

  it('gives the same ledger whatever the batches were, to the last row and digest', async () => {
    const facts = randomHistory({ seed: 7, steps: 400, campaigns: CAMPAIGNS });
    const dumps: LedgerDump[] = [];
    for (const batchSize of [1_000, 37, 5]) {
      const fixture = await fixtures.open();
      await fixture.index(facts);
      await fixture.settle(batchSize);
      dumps.push(await dumpLedger(fixture.pool));
    }
    expect(dumps[0]?.journal?.length).toBe(facts.length);
    expect(dumps[0]?.discrepancy).toEqual([]);
    const [whole, parts, crumbs] = dumps;
    expect(differences(whole ?? {}, parts ?? {})).toEqual([]);
    expect(differences(whole ?? {}, crumbs ?? {})).toEqual([]);
  });

  it('gives the ledger of a fresh run over the final chain after a reorg of any depth', async () => {
    const before = randomHistory({ seed: 11, steps: 400, campaigns: CAMPAIGNS });
    const fixture = await fixtures.open();
    await fixture.index(before);
    await fixture.settle(50);
    const blocks = [...new Set(before.map((fact) => fact.blockNumber))];
    for (const depth of [1, 5, 40, blocks.length - 1]) {
      const fork = blocks.at(-depth) ?? 0;
      const after = forkOf(before, fork, `depth ${depth}`);
      await fixture.index(after.filter((fact) => fact.blockNumber >= fork));
      await fixture.settle(50);
      const fresh = await fixtures.open();
      await fresh.index(after);
      await fresh.settle(1_000);
      expect(differences(await dumpLedger(fixture.pool), await dumpLedger(fresh.pool))).toEqual([]);
      // And back again: the first chain wins after all.
      await fixture.index(before.filter((fact) => fact.blockNumber >= fork));
      await fixture.settle(50);
    }
  });
});

/** The history up to a block, and from there on other blocks with other events. */
function forkOf(facts: readonly Fact[], fork: number, name: string): Fact[] {
  const dropped = new Set<string>();
  return facts.flatMap((fact) => {
    if (fact.blockNumber < fork) return [fact];
    const saleId = 'saleId' in fact.args ? fact.args.saleId : undefined;
    // Every fifth sale does not make it into the new chain, nor anything about it.
    if (fact.name === 'SaleRecorded' && Number(saleId) % 5 === 0) dropped.add(fact.args.saleId);
    if (saleId !== undefined && dropped.has(saleId)) return [];
    return [{ ...fact, blockHash: hash(`${name} ${fact.blockNumber}`) }];
  });
}
