import { createTestDatabase, type TestDatabase } from './database.ts';
import { SettleBench } from './settle-bench.ts';

/** Ledgers that a test opens as it goes, each in a database of its own. */
export class SettleBenches {
  readonly #opened: { readonly bench: SettleBench; readonly database: TestDatabase }[] = [];

  async open(): Promise<SettleBench> {
    const database = await createTestDatabase();
    const bench = await SettleBench.open(database.url);
    this.#opened.push({ bench, database });
    return bench;
  }

  /** Of the database of a ledger that was opened here. */
  urlOf(bench: SettleBench): string {
    const found = this.#opened.find((one) => one.bench === bench);
    if (found === undefined) throw new Error('that ledger was opened elsewhere');
    return found.database.url;
  }

  /** Closes all, and drops their databases. */
  async close(): Promise<void> {
    for (const { bench, database } of this.#opened.splice(0)) {
      await bench.pool.end();
      await database.drop();
    }
  }
}
