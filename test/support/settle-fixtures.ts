import { createTestDatabase, type TestDatabase } from './database.ts';
import { SettleFixture } from './settle-fixture.ts';

/** Ledgers that a test opens as it goes, each in a database of its own. */
export class SettleFixtures {
  readonly #opened: { readonly fixture: SettleFixture; readonly database: TestDatabase }[] = [];

  async open(): Promise<SettleFixture> {
    const database = await createTestDatabase();
    const fixture = await SettleFixture.open(database.url);
    this.#opened.push({ fixture, database });
    return fixture;
  }

  /** Of the database of a ledger that was opened here. */
  urlOf(fixture: SettleFixture): string {
    const found = this.#opened.find((one) => one.fixture === fixture);
    if (found === undefined) throw new Error('that ledger was opened elsewhere');
    return found.database.url;
  }

  /** Closes all, and drops their databases. */
  async close(): Promise<void> {
    for (const { fixture, database } of this.#opened.splice(0)) {
      await fixture.pool.end();
      await database.drop();
    }
  }
}
