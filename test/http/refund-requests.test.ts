import { type Address, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { takeTurn } from '../../engine/db/commerce/disputes.ts';
import { dueSales } from '../../engine/db/read/sales/due.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { CHAIN_ID } from './support/api-fixture.ts';
import { BUYER, DisputeFixture, MERCHANT, STRANGER } from './support/dispute-fixture.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

type Opening = Partial<Parameters<Client['disputes']['open']>[0]>;

describe('a refund request of a buyer', () => {
  let requests: DisputeFixture;
  let buyer: Client;
  let merchant: Client;

  beforeAll(async () => {
    requests = await DisputeFixture.open();
    buyer = await requests.fixture.clientAs(BUYER);
    merchant = await requests.fixture.clientAs(MERCHANT);
  });
  afterAll(() => requests.fixture.close());

  async function open(saleId: string, changes: Opening = {}, as = buyer) {
    const request = { chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' } as const;
    return (await as.disputes.open({ ...request, ...changes })).data;
  }
  const withdraw = async (id: string, message?: string) =>
    (await buyer.refundRequests.withdraw({ id, message })).data;
  const accept = async (id: string, amount?: string) =>
    (await merchant.disputes.respond({ id, response: 'accept', amount })).data;

  it('returns a refund request to its buyer alone, and accepts messages of its buyer alone', async () => {
    const { id } = await open(await requests.sell());
    const { data } = await buyer.refundRequests.respond({ id, message: 'And soon, please.' });
    expect(data).toMatchObject({
      status: 'open',
      messages: [
        { from: 'buyer', text: 'Please.' },
        { from: 'buyer', text: 'And soon, please.' },
      ],
    });
    expect((await buyer.refundRequests.get({ id })).data).toEqual(data);
    expect((await merchant.disputes.get({ id })).data).toEqual(data);
    const stranger = await requests.fixture.clientAs(STRANGER);
    for (const { refundRequests } of [merchant, stranger]) {
      for (const refused of [
        () => refundRequests.get({ id }),
        () => refundRequests.respond({ id, message: 'No.' }),
        () => refundRequests.withdraw({ id }),
      ]) {
        await expect(refused()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    }
    expect((await buyer.refundRequests.get({ id })).data).toEqual(data);
  });

  it('withdraws a refund request once, with a message, and changes nothing when it is repeated', async () => {
    const { id } = await open(await requests.sell());
    const withdrawn = await withdraw(id, 'It has come.');
    expect(withdrawn).toMatchObject({
      status: 'withdrawn',
      closedAt: null,
      acceptedAmount: null,
      messages: [{ from: 'buyer' }, { from: 'buyer', text: 'It has come.' }],
    });
    expect(await withdraw(id, 'It has come.')).toEqual(withdrawn);
    const concurrent = await Promise.all(Array.from({ length: 5 }, () => withdraw(id, 'Really.')));
    expect(concurrent).toEqual(Array.from({ length: 5 }, () => withdrawn));
    expect((await merchant.disputes.get({ id })).data).toEqual(withdrawn);
  });

  it('records one message if a request is withdrawn twenty times concurrently', async () => {
    const { id } = await open(await requests.sell());
    const all = await Promise.all(Array.from({ length: 20 }, () => withdraw(id, 'Never mind.')));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['withdrawn']));
    expect((await buyer.refundRequests.get({ id })).data.messages).toHaveLength(2);
  });

  it('refuses answers to a withdrawn request, and still accepts messages', async () => {
    const { id } = await open(await requests.sell());
    await withdraw(id);
    for (const response of ['accept', 'decline'] as const) {
      const answer = { id, response, ...(response === 'decline' && { reason: 'No.' }) };
      await expect(merchant.disputes.respond(answer)).rejects.toMatchObject({
        status: 409,
        code: 'CONFLICT',
        message: expect.stringContaining('withdrawn'),
      });
    }
    const thanks = { id, response: 'message', message: 'Thank you.' } as const;
    const { dispute } = (await merchant.disputes.respond(thanks)).data;
    expect(dispute).toMatchObject({ status: 'withdrawn', messages: { length: 2 } });
  });

  it('withdraws a declined request, which then shows no reason of the merchant', async () => {
    const { id } = await open(await requests.sell());
    await merchant.disputes.respond({ id, response: 'decline', reason: 'It was delivered.' });
    expect(await withdraw(id)).toMatchObject({ status: 'withdrawn', declineReason: null });
  });

  it('marks a withdrawn request as refunded if the accepted refund comes all the same', async () => {
    const saleId = await requests.sell();
    const { id } = await open(saleId, { amount: '500000' });
    await accept(id, '300000');
    expect(await withdraw(id)).toMatchObject({ status: 'withdrawn', acceptedAmount: '300000' });
    requests.refund('1', saleId, 300_000n, 300_000n);
    await requests.settle();
    const { data } = await buyer.refundRequests.get({ id });
    expect(data).toMatchObject({ status: 'refunded', refundedTotal: '300000' });
    expect(data.closedAt).not.toBeNull();
    for (const late of [() => withdraw(id), () => open(saleId, { amount: '1' })]) {
      await expect(late()).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    }
  });

  it('refuses to withdraw a request that the chain has closed, and lets a withdrawn one be withdrawn', async () => {
    const saleId = await requests.sell();
    const { id } = await open(saleId);
    const { id: earlier } = await open(await requests.sell());
    const withdrawn = await withdraw(earlier);
    requests.finalize('1', saleId);
    requests.finalize('1', withdrawn.saleId);
    await requests.settle();
    await expect(withdraw(id)).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(`sale ${saleId} is finalized`),
    });
    const after = await withdraw(earlier);
    expect(after).toMatchObject({ status: 'withdrawn', saleState: 'finalized' });
    expect(after.closedAt).not.toBeNull();
    expect(after.messages).toEqual(withdrawn.messages);
  });

  it('ends with a withdrawn request if the merchant accepts it concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await open(await requests.sell());
      const [accepted] = await Promise.allSettled([accept(id), withdraw(id)]);
      const { data } = await buyer.refundRequests.get({ id });
      expect(data.status).toBe('withdrawn');
      // Only an acceptance that came first was recorded.
      const isRecorded = accepted.status === 'fulfilled';
      expect(data.acceptedAmount).toBe(isRecorded ? '1000000' : null);
      if (!isRecorded) expect(accepted.reason).toMatchObject({ status: 409, code: 'CONFLICT' });
    }
  });

  it('no longer counts a withdrawn request as open, and lets its sale be finalized', async () => {
    const saleId = await requests.sell('1', requests.history.time + 1);
    requests.history.nextBlock(100);
    await requests.sell();
    const before = (await merchant.disputes.exposure()).data;
    const { id } = await open(saleId);
    const { pool } = requests.fixture;
    const head = { timestamp: requests.history.time, finalizedNumber: requests.history.block };
    const due = async () => (await dueSales(pool, head, 1_000)).map((one) => one.saleId);
    const finalizable = async () => {
      const { data } = await merchant.operations.finalize({ campaignId: '1' });
      return data.saleIds.includes(saleId);
    };
    expect((await merchant.disputes.exposure()).data.open).toBe(before.open + 1);
    expect([await due(), await finalizable()]).toEqual([
      expect.not.arrayContaining([saleId]),
      false,
    ]);
    await withdraw(id);
    expect((await merchant.disputes.exposure()).data).toEqual(before);
    expect([await due(), await finalizable()]).toEqual([expect.arrayContaining([saleId]), true]);
    const listed = (await buyer.receipts.forBuyer({ limit: 2 })).data.items;
    const sale = listed.find((one) => one.saleId === saleId);
    expect(sale).toMatchObject({ refundable: true, dispute: { id, status: 'withdrawn' } });
  });

  it('lets the keeper finalize a sale once the block of its accepted refund, a part of the amount, is final', async () => {
    const saleId = await requests.sell('1', requests.history.time + 1);
    const { id } = await open(saleId);
    await accept(id, '400000');
    requests.history.nextBlock(100);
    requests.refund('1', saleId, 400_000n, 400_000n);
    const refundBlock = requests.history.block;
    await requests.settle();
    expect((await buyer.refundRequests.get({ id })).data.status).toBe('refunded');
    const isDueAt = async (finalizedNumber: number) => {
      const head = { timestamp: requests.history.time, finalizedNumber };
      const due = await dueSales(requests.fixture.pool, head, 1_000);
      return due.some((one) => one.saleId === saleId);
    };
    expect(await isDueAt(refundBlock - 1)).toBe(false);
    expect(await isDueAt(refundBlock)).toBe(true);
  });

  it('opens a withdrawn request again under the same id, with its messages and a new amount', async () => {
    const saleId = await requests.sell();
    const first = await open(saleId, { reason: 'not_received', amount: '500000' });
    await accept(first.id, '400000');
    await withdraw(first.id, 'It has come.');
    requests.refund('1', saleId, 100_000n, 100_000n);
    await requests.settle();
    const again = {
      reason: 'not_as_described',
      amount: '200000',
      message: 'It is broken.',
    } as const;
    const reopened = await open(saleId, again);
    expect(reopened).toMatchObject({
      id: first.id,
      status: 'open',
      reason: 'not_as_described',
      requestedAmount: '200000',
      acceptedAmount: null,
      refundedTotal: '100000',
      messages: [{ text: 'Please.' }, { text: 'It has come.' }, { text: 'It is broken.' }],
    });
    expect(Date.parse(reopened.openedAt)).toBeGreaterThan(Date.parse(first.openedAt));
    await expect(open(saleId, again)).rejects.toMatchObject({ status: 409 });
    expect((await accept(first.id)).dispute).toMatchObject({ acceptedAmount: '200000' });
    requests.refund('1', saleId, 200_000n, 300_000n);
    await requests.settle();
    expect((await buyer.refundRequests.get({ id: first.id })).data.status).toBe('refunded');
  });

  it('opens a withdrawn request once, even if it is opened twenty times concurrently', async () => {
    const saleId = await requests.sell();
    const { id } = await open(saleId);
    await withdraw(id);
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => open(saleId)));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { data } = await buyer.refundRequests.get({ id });
    expect(data).toMatchObject({ status: 'open', messages: { length: 2 } });
  });

  it('refuses to open a request again after its sale is final, or without room for a message', async () => {
    const [saleId, full] = [await requests.sell(), await requests.sell()];
    const { id } = await open(saleId);
    await withdraw(id);
    requests.finalize('1', saleId);
    await requests.settle();
    await expect(open(saleId)).rejects.toMatchObject({ status: 422 });

    const { id: long } = await open(full);
    await requests.fixture.pool`
      insert into commerce.dispute_message
      select ${long} || n, ${long}, 'buyer', 'again', now() from generate_series(1, 199) n`;
    const words = buyer.refundRequests.withdraw({ id: long, message: 'Never mind.' });
    await expect(words).rejects.toMatchObject({ status: 422 });
    expect((await buyer.refundRequests.get({ id: long })).data.status).toBe('open');
    await withdraw(long);
    await expect(open(full)).rejects.toMatchObject({ status: 422 });
    expect((await buyer.refundRequests.get({ id: long })).data.status).toBe('withdrawn');
  });

  it('refuses an answer to what was asked for before a request was opened again', async () => {
    const saleId = await requests.sell();
    const first = await open(saleId);
    await withdraw(first.id);
    await open(saleId, { amount: '5' });
    const answer = { kind: 'accepted', acceptedAmount: 1_000_000n } as const;
    const turn = { id: first.id, openedAt: new Date(first.openedAt), answer, at: new Date() };
    expect(await takeTurn(requests.fixture.pool, turn)).toBe('withdrawn');
    const { data } = await buyer.refundRequests.get({ id: first.id });
    expect(data).toMatchObject({ status: 'open', requestedAmount: '5', acceptedAmount: null });
  });
});

describe('the refund requests of a buyer', () => {
  let requests: DisputeFixture;
  let buyer: Client;
  let merchant: Client;
  const ids: string[] = [];

  beforeAll(async () => {
    requests = await DisputeFixture.open();
    buyer = await requests.fixture.clientAs(BUYER);
    merchant = await requests.fixture.clientAs(MERCHANT);
    for (let i = 0; i < 5; i += 1) {
      const saleId = await requests.sell(i === 2 ? '3' : '1');
      const request = { chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' } as const;
      ids.push((await buyer.disputes.open(request)).data.id);
    }
  });
  afterAll(() => requests.fixture.close());
  async function listed(query: Parameters<Client['refundRequests']['list']>[0], as = buyer) {
    const found: string[] = [];
    for await (const one of as.pages(as.refundRequests.list, { ...query, limit: 2 })) {
      found.push(one.id);
    }
    return found;
  }

  it('lists the requests of the caller alone, in pages, the last opened first', async () => {
    expect(await listed({})).toEqual([...ids].reverse());
    expect(await listed({}, merchant)).toEqual([]);
    const [item] = (await buyer.refundRequests.list({ limit: 1 })).data.items;
    const { data } = await buyer.refundRequests.get({ id: item?.id ?? '' });
    const { refundPolicy: _policy, messages: _messages, ...listedFields } = data;
    expect(item).toEqual(listedFields);
  });

  it('lists each request once if all were opened in the same microsecond, or a microsecond apart', async () => {
    const { pool } = requests.fixture;
    const opened = new Date('2026-01-01T00:00:00Z');
    await pool`update commerce.dispute set opened_at = ${opened}`;
    expect((await listed({})).sort()).toEqual([...ids].sort());
    for (const [i, id] of ids.entries()) {
      await pool`
        update commerce.dispute set opened_at = ${opened}::timestamptz + ${i} * interval '1 microsecond'
        where id = ${id}`;
    }
    expect(await listed({})).toEqual([...ids].reverse());
  });

  it('filters requests by status, and refuses a cursor of another filter', async () => {
    const [first = '', second = ''] = ids;
    await buyer.refundRequests.withdraw({ id: first });
    await merchant.disputes.respond({ id: second, response: 'accept' });
    expect(await listed({ status: 'withdrawn' })).toEqual([first]);
    expect(await listed({ status: 'accepted' })).toEqual([second]);
    expect(await listed({ status: 'open' })).toEqual(ids.slice(2).reverse());
    const { nextCursor } = (await buyer.refundRequests.list({ limit: 1 })).data;
    const cursor = nextCursor ?? '';
    for (const other of [
      () => buyer.refundRequests.list({ cursor, status: 'open' }),
      () => buyer.disputes.list({ cursor }),
    ]) {
      await expect(other()).rejects.toMatchObject({ status: 400, issues: [{ path: 'cursor' }] });
    }
    const { items } = (await merchant.disputes.list({ status: 'withdrawn' })).data;
    expect(items.map(({ id }) => id)).toEqual([first]);
  });
});

describe('a refund request on a chain', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let merchant: Address;
  let buyer: Address;
  let saleId: string;

  beforeAll(async () => {
    live = await LiveFixture.open();
    ({ chain } = live);
    merchant = accountAt(chain.accounts, 1);
    buyer = accountAt(chain.accounts, 2);
    const token = await deployToken(chain);
    const id = await act.createCampaign(chain, merchant, token);
    await act.fund(chain, { id, token }, merchant, 1_000_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    saleId = String((await act.buy(chain, id, buyer, { orderKey: toHex(1, { size: 32 }) })).saleId);
    await live.sync();
  });
  afterAll(() => live.close());

  it('refuses to withdraw a request whose refund is mined, even before that is settled', async () => {
    const { refundRequests, disputes } = await live.fixture.clientAs(lower(buyer));
    const asMerchant = await live.fixture.clientAs(lower(merchant));
    const request = { chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' } as const;
    const { id } = (await disputes.open({ ...request, amount: '600000' })).data;
    await asMerchant.disputes.respond({ id, response: 'accept', amount: '400000' });
    await act.refund(chain, merchant, BigInt(saleId), 399_999n);
    const blind = await live.fixture.clientAs(lower(buyer), { client: away });
    await expect(blind.refundRequests.withdraw({ id })).rejects.toMatchObject({ status: 503 });
    expect((await refundRequests.get({ id })).data.status).toBe('accepted');
    expect((await refundRequests.withdraw({ id })).data.status).toBe('withdrawn');
    await disputes.open({ ...request, amount: '600000' });
    await asMerchant.disputes.respond({ id, response: 'accept', amount: '400000' });
    await act.refund(chain, merchant, BigInt(saleId), 1n);
    await expect(refundRequests.withdraw({ id })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('0.40 TUSD'),
    });
    expect((await refundRequests.get({ id })).data.status).toBe('accepted');
    await live.sync();
    expect((await refundRequests.get({ id })).data.status).toBe('refunded');
    await expect(refundRequests.withdraw({ id })).rejects.toMatchObject({ status: 409 });
  });
});
