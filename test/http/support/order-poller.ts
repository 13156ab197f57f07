import { expect } from 'vitest';
import type { Client } from '../../../engine/client/index.ts';

type OrderPage = Awaited<ReturnType<Client['orders']['list']>>['data'];
type Item = OrderPage['items'][number];

/** A merchant's backend that polls orders, does what docs/reference/api.md says, and nothing else. */
export class OrderPoller {
  readonly #client: Client;
  readonly #limit: number;
  readonly #held = new Map<string, string>();
  #since: string | undefined;
  #cursor: string | undefined;
  /** Items that it received, and orders that it received again with the same text. */
  received = 0;
  repeated = 0;
  retracted = 0;

  constructor(client: Client, limit: number) {
    this.#client = client;
    this.#limit = limit;
  }

  get held(): string[] {
    return [...this.#held.values()].sort();
  }

  /** Reads at most so many pages; it is up to date if it returns true. */
  async poll(pages = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (let page = 0; page < pages; page += 1) {
      const { data } = await this.#client.orders.list({
        limit: this.#limit,
        ...(this.#since === undefined ? {} : { since: this.#since }),
        ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }),
      });
      this.#apply(data);
      if (data.nextCursor === null) return true;
    }
    return false;
  }

  #apply({ items, nextCursor, since, reset }: OrderPage): void {
    if (reset) this.#held.clear();
    for (const item of items) this.#take(item);
    this.#cursor = nextCursor ?? undefined;
    this.#since = since;
  }

  #take(item: Item): void {
    const key = `${item.campaignId}/${item.saleId}`;
    this.received += 1;
    if (item.retracted) {
      this.retracted += 1;
      // It may never have received the order, if it came and went between two polls.
      this.#held.delete(key);
      return;
    }
    const order = orderText(item);
    if (this.#held.get(key) === order) this.repeated += 1;
    this.#held.set(key, order);
  }
}

/** What the chain has of an order, as text. */
function orderText(order: Omit<Exclude<Item, { retracted: true }>, 'retracted'>): string {
  const { campaignId, saleId, orderKey, buyer, state, refundedTotal, recordedAt, tx } = order;
  const fields = [campaignId, saleId, orderKey, buyer, state, refundedTotal, recordedAt, tx.hash];
  return [...fields, order.finalizedAt, order.rewards].join(' ');
}

/** All sales of the merchant, read as one list of its own. */
export async function salesOf(client: Client): Promise<string[]> {
  const all: string[] = [];
  for await (const { dispute: _none, ...sale } of client.pages(client.receipts.forMerchant, {
    limit: 100,
  })) {
    all.push(orderText(sale));
  }
  expect(new Set(all).size).toBe(all.length);
  return all.sort();
}
