import type { AppDeps } from '../../../engine/http/deps.ts';
import { account, hash } from '../../support/history.ts';
import { ApiFixture, clientWithoutSales } from './api-fixture.ts';
import { HistoryBuilder } from './facts.ts';

export const MERCHANT = account(1_000);
export const OTHER_MERCHANT = account(1_001);
/** The buyer of every sale. */
export const BUYER = account(500);
export const STRANGER = account(501);

/**
 * The API over a ledger that grows as a test says. MERCHANT has campaigns 1 and 3, which is in another token;
 * OTHER_MERCHANT has campaign 2, of a third party.
 */
export class DisputeFixture {
  readonly history = new HistoryBuilder();
  #indexed = 0;
  #sales = 0;

  private constructor(readonly fixture: ApiFixture) {}

  static async open(changes: Partial<AppDeps> = {}): Promise<DisputeFixture> {
    const opened = new DisputeFixture(
      await ApiFixture.open({ client: clientWithoutSales, ...changes }),
    );
    const { history } = opened;
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    history.create('2', { merchant: OTHER_MERCHANT, trustMode: 'THIRD_PARTY_VERIFIED' });
    history.schedule('2');
    history.fund('2', 10_000_000n);
    history.create('3', { token: account(2), tokenSymbol: 'EURX', tokenName: 'Euro' });
    history.schedule('3');
    history.fund('3', 10_000_000n);
    history.join('1', '1');
    history.join('3', '2');
    await opened.settle();
    return opened;
  }

  async settle(): Promise<void> {
    const facts = this.history.facts.slice(this.#indexed);
    this.#indexed = this.history.facts.length;
    await this.fixture.settle(facts);
    this.history.nextBlock();
  }

  /** Id of the next sale. */
  nextSale(): string {
    this.#sales += 1;
    return String(this.#sales);
  }

  /** A settled sale for 1,000,000 base units. @param holdUntil unix seconds. */
  async sell(campaignId = '1', holdUntil?: number): Promise<string> {
    const saleId = this.nextSale();
    const hold = holdUntil === undefined ? {} : { holdUntil };
    this.history.sell(campaignId, saleId, { pool: 0n, shares: [], ...hold });
    await this.settle();
    return saleId;
  }

  refund(campaignId: string, saleId: string, amount: bigint, refundedTotal: bigint): void {
    const args = { saleId, amount, refundedTotal, buyer: BUYER, reasonHash: hash('reason') };
    this.history.add(campaignId, { name: 'SaleRefunded', args });
  }

  finalize(campaignId: string, saleId: string): void {
    this.history.finalize(campaignId, saleId);
  }
}
