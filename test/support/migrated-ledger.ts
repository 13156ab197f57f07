import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { digestRoot } from '../../engine/core/merkle.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { differences, dumpLedger, keccak, type LedgerDump } from './ledger.ts';
import type { SettleFixture } from './settle-fixture.ts';
import { SettleFixtures } from './settle-fixtures.ts';

const MIGRATIONS = new URL('../../engine/db/migrations/', import.meta.url);

/** Facts up to the block in the middle of a history. */
export function firstHalf(facts: readonly Fact[]): readonly Fact[] {
  const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
  return facts.filter(({ blockNumber }) => blockNumber < middle);
}

/** Root of all digests of a ledger. */
export async function rootOf(pool: Pool): Promise<string> {
  return digestRoot(keccak, await digestsAt(pool, Number.MAX_SAFE_INTEGER));
}

/** A ledger whose tables a test makes what they were before a migration, to apply that migration again. */
export class MigratedLedger {
  readonly #fixtures = new SettleFixtures();
  #fixture: SettleFixture | undefined;
  #settled: readonly Fact[] = [];

  get fixture(): SettleFixture {
    if (this.#fixture === undefined) throw new Error('the ledger is open while tests run');
    return this.#fixture;
  }

  get pool(): Pool {
    return this.fixture.pool;
  }

  async open(facts: readonly Fact[]): Promise<void> {
    this.#fixture = await this.#fixtures.open();
    await this.#fixture.index(facts);
    await this.#fixture.settle();
    this.#settled = facts;
  }

  async close(): Promise<void> {
    await this.#fixtures.close();
  }

  async apply(migration: string): Promise<void> {
    const text = await readFile(new URL(migration, MIGRATIONS), 'utf8');
    await this.pool.begin((sql) => sql.unsafe(text));
  }

  /**
   * Stores the rows as they were, applies the migration, and expects the rows and the root that settlement wrote.
   *
   * @param store makes the tables what they were.
   * @param rowsDiffer true if their rows differed, and not their columns and indexes alone.
   * @returns the rows.
   */
  async expectSameAfter(
    migration: string,
    store: () => Promise<void>,
    { rowsDiffer = false } = {},
  ): Promise<LedgerDump> {
    const [settled, root] = [await dumpLedger(this.pool), await rootOf(this.pool)];
    await store();
    expect(differences(settled, await dumpLedger(this.pool)).length > 0).toBe(rowsDiffer);
    await this.apply(migration);
    expect(differences(settled, await dumpLedger(this.pool))).toEqual([]);
    expect(await rootOf(this.pool)).toBe(root);
    expect(await auditLedger(this.pool)).toEqual([]);
    return settled;
  }

  /** Settles the rest of a history that was opened in part, and expects the ledger of a run without a migration. */
  async expectToGoOn(facts: readonly Fact[]): Promise<void> {
    await this.fixture.index(facts.slice(this.#settled.length));
    await this.fixture.settle();
    const fresh = await this.#fixtures.open();
    await fresh.index(facts);
    await fresh.settle();
    const expected = await dumpLedger(fresh.pool);
    expect(expected.journal?.length).toBe(facts.length);
    expect(differences(expected, await dumpLedger(this.pool))).toEqual([]);
  }
}

/** Opens a ledger of these facts for the tests of a file. */
export function useMigratedLedger(facts: readonly Fact[]): MigratedLedger {
  const ledger = new MigratedLedger();
  beforeAll(() => ledger.open(facts));
  afterAll(() => ledger.close());
  return ledger;
}
