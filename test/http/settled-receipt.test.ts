import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Found, readOne } from '../../engine/db/read/one-read.ts';
import { type ReceiptView, receiptRead } from '../../engine/db/read/sales/receipt.ts';
import {
  NEEDS_WHOLE_READ,
  readSettledReceipt,
} from '../../engine/db/read/sales/settled-receipt.ts';
import { receiptOf } from '../../engine/http/render/receipt.ts';
import { randomHistory } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

const SEED = 4_711;

type ReceiptResult = ReceiptView | typeof NEEDS_WHOLE_READ | undefined;

describe('the receipt at the settled block', () => {
  let fixture: ApiFixture;
  let saleIds: readonly string[];
  let blocks: readonly number[];

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(randomHistory({ seed: SEED, steps: 300, campaigns: 2 }));
    const sales = await fixture.pool<{ id: string }[]>`
      select sale_id as id from ledger.sale order by sale_id`;
    saleIds = sales.map(({ id }) => id);
    const found = await fixture.pool<{ n: string }[]>`
      select distinct block_number as n from ledger.journal order by n`;
    blocks = found.map(({ n }) => Number(n));
  });
  afterAll(() => fixture.close());

  const settled = (saleId: string) => readSettledReceipt(fixture.pool, saleId);
  const whole = (saleId: string) => readOne(fixture.pool, receiptRead(saleId));

  async function receipt(read: (saleId: string) => Promise<Found<ReceiptResult>>, saleId: string) {
    const { head, value } = await read(saleId);
    return value === undefined || value === NEEDS_WHOLE_READ
      ? value
      : receiptOf(fixture.deps.deployment, value, head);
  }

  /** Reads while the rows hold what came after the block. */
  async function atSettled<T>(block: number, read: () => Promise<T>): Promise<T> {
    await fixture.pool`update ledger.head set settled_number = ${block}`;
    try {
      return await read();
    } finally {
      await fixture.pool`update ledger.head set settled_number = ${blocks.at(-1) ?? 0}`;
    }
  }

  it('reads the same from the newest rows as from the versions, or leaves it to the versions', async () => {
    const counts = { newest: 0, whole: 0, missing: 0 };
    for (const block of blocks.filter((_, i) => i % 15 === 0 || i >= blocks.length - 2)) {
      await atSettled(block, async () => {
        for (const saleId of saleIds) {
          const context = `seed ${SEED}: sale ${saleId} at block ${block}`;
          const small = await receipt(settled, saleId);
          if (small === NEEDS_WHOLE_READ) {
            counts.whole += 1;
            continue;
          }
          expect(small, context).toEqual(await receipt(whole, saleId));
          counts[small === undefined ? 'missing' : 'newest'] += 1;
        }
      });
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(10);
  });

  it('returns the same, byte for byte, if several are read together', async () => {
    const app = fixture.app();
    const bodyOf = async (saleId: string) => {
      const headers = { 'x-request-id': 'same' };
      const response = await app.request(`/v1/receipts/${CHAIN_ID}/${saleId}`, { headers });
      return { tag: response.headers.get('etag'), body: await response.text() };
    };
    const asked = [...saleIds, '999999', ...saleIds];
    const alone = [];
    for (const saleId of asked) alone.push(await bodyOf(saleId));
    expect(await Promise.all(asked.map(bodyOf))).toEqual(alone);
    expect(new Set(alone.map(({ body }) => body)).size).toBe(saleIds.length + 1);
  });

  it('reads the newest rows if nothing has happened since', async () => {
    for (const saleId of saleIds) {
      expect(await receipt(settled, saleId), saleId).not.toBe(NEEDS_WHOLE_READ);
    }
  });

  it('reads the versions if the levels are not the path of the sale, or there are discrepancies', async () => {
    const [level] = await fixture.pool<{ campaign_id: string; sale_id: string }[]>`
      select campaign_id, sale_id from ledger.sale_level where level = 2 order by sale_id limit 1`;
    if (level === undefined) throw new Error(`seed ${SEED} has no sale with two levels`);
    const { campaign_id: campaignId, sale_id: saleId } = level;
    const changes = [
      fixture.pool`
        update ledger.sale_level set node_id = node_id + 1000000
        where campaign_id = ${campaignId} and sale_id = ${saleId} and level = 2`,
      fixture.pool`
        delete from ledger.sale_level
        where campaign_id = ${campaignId} and sale_id = ${saleId} and level = 2`,
      fixture.pool`
        insert into ledger.discrepancy (campaign_id, seq, ordinal, kind, expected, actual)
        values (${campaignId}, 1, 0, 'pool', '1', '2')`,
    ];
    for (const change of changes) {
      await change;
      expect(await receipt(settled, saleId)).toBe(NEEDS_WHOLE_READ);
      const { data } = await fixture.client().receipts.get({ chainId: CHAIN_ID, saleId });
      expect(data).toEqual(await receipt(whole, saleId));
    }
  });
});
