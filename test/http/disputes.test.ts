import { type Address, createPublicClient, custom, keccak256, stringToHex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { DisputeStatus } from '../../engine/contract/shapes/dispute.ts';
import { type DisputeTerms, disputeStatus } from '../../engine/core/dispute.ts';
import type { SaleState } from '../../engine/core/fold/state.ts';
import { dueSales } from '../../engine/db/read/sales/due.ts';
import * as act from '../support/actions.ts';
import { accountAt, deployToken, mined, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { account, hash, seeded } from '../support/history.ts';
import { CHAIN_ID } from './support/api-fixture.ts';
import {
  BUYER,
  DisputeFixture,
  MERCHANT,
  OTHER_MERCHANT,
  STRANGER,
} from './support/dispute-fixture.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

type Asked = Partial<Parameters<Client['disputes']['open']>[0]>;

describe('a dispute', () => {
  let tale: DisputeFixture;
  let buyer: Client;
  let merchant: Client;

  beforeAll(async () => {
    tale = await DisputeFixture.open();
    buyer = await tale.fixture.clientAs(BUYER);
    merchant = await tale.fixture.clientAs(MERCHANT);
  });
  afterAll(() => tale.fixture.close());

  const sell = (campaignId?: string, holdUntil?: number) => tale.sell(campaignId, holdUntil);
  async function open(saleId: string, changes: Asked = {}, as = buyer) {
    const request = { chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' } as const;
    return (await as.disputes.open({ ...request, ...changes })).data;
  }
  async function get(id: string, as = merchant) {
    return (await as.disputes.get({ id })).data;
  }

  it('lets the buyer open a dispute with a first message, which both sides can read', async () => {
    const saleId = await sell();
    const dispute = await open(saleId, { reason: 'not_received', message: 'Nothing came.' });
    expect(dispute).toMatchObject({
      saleId,
      campaignId: '1',
      buyer: BUYER,
      merchantId: MERCHANT,
      saleAmount: '1000000',
      requestedAmount: '1000000',
      acceptedAmount: null,
      refundedTotal: '0',
      saleState: 'pending',
      reason: 'not_received',
      status: 'open',
      declineReason: null,
      closedAt: null,
      messages: [{ from: 'buyer', text: 'Nothing came.' }],
    });
    expect(await get(dispute.id)).toEqual(dispute);
    expect(await get(dispute.id, buyer)).toEqual(dispute);
    const stranger = await tale.fixture.clientAs(STRANGER);
    await expect(get(dispute.id, stranger)).rejects.toMatchObject({ status: 404 });
    const reply = { id: dispute.id, response: 'message', message: 'Me too.' } as const;
    await expect(stranger.disputes.respond(reply)).rejects.toMatchObject({ status: 404 });
  });

  it('opens one dispute for a sale, even if twenty requests arrive concurrently', async () => {
    const saleId = await sell();
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => open(saleId)));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(open(saleId)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    const [rows] = await tale.fixture.pool<{ messages: number }[]>`
      select count(*)::int as messages from commerce.dispute_message message
      join commerce.dispute on dispute.id = message.dispute_id
      where dispute.order_key = ${hash(`order ${saleId}`)}`;
    expect(rows?.messages).toBe(1);
  });

  it('refuses a dispute by others, for too much, or when the chain no longer allows a refund', async () => {
    const saleId = await sell();
    const stranger = await tale.fixture.clientAs(STRANGER);
    await expect(open(saleId, {}, stranger)).rejects.toMatchObject({ status: 403 });
    await expect(open('4242')).rejects.toMatchObject({ status: 404 });
    await expect(open(saleId, { chainId: 1 })).rejects.toMatchObject({ status: 404 });
    await expect(open(saleId, { amount: '0' })).rejects.toMatchObject({ status: 400 });
    tale.refund('1', saleId, 400_000n, 400_000n);
    await tale.settle();
    const tooMuch = { status: 422, issues: [{ path: 'amount' }] };
    await expect(open(saleId, { amount: '600001' })).rejects.toMatchObject(tooMuch);
    tale.finalize('1', saleId);
    await tale.settle();
    await expect(open(saleId, { amount: '1' })).rejects.toMatchObject({ status: 422 });
    const whole = await sell();
    tale.refund('1', whole, 1_000_000n, 1_000_000n);
    await tale.settle();
    await expect(open(whole)).rejects.toMatchObject({ status: 422 });
  });

  it('lets the buyer open a dispute after the hold, until the sale is finalized', async () => {
    const saleId = await sell('1', tale.history.time + 1);
    tale.history.nextBlock(100);
    await sell();
    expect((await open(saleId)).status).toBe('open');
  });

  it('marks a dispute as refunded when the requested amount was refunded in addition to earlier refunds', async () => {
    const saleId = await sell();
    tale.refund('1', saleId, 100_000n, 100_000n);
    await tale.settle();
    const { id, requestedAmount } = await open(saleId, { amount: '300000' });
    expect(requestedAmount).toBe('300000');
    tale.refund('1', saleId, 299_999n, 399_999n);
    await tale.settle();
    expect(await get(id)).toMatchObject({ status: 'open', refundedTotal: '399999' });
    const closedAt = new Date(tale.history.time * 1_000).toISOString();
    tale.refund('1', saleId, 1n, 400_000n);
    await tale.settle();
    tale.finalize('1', saleId);
    await tale.settle();
    expect(await get(id)).toMatchObject({ status: 'refunded', closedAt, saleState: 'finalized' });
  });

  it('expires a dispute when its sale is finalized without a refund', async () => {
    const saleId = await sell();
    const { id } = await open(saleId);
    const closedAt = new Date(tale.history.time * 1_000).toISOString();
    tale.finalize('1', saleId);
    await tale.settle();
    expect(await get(id)).toMatchObject({ status: 'expired', closedAt });
    const late = merchant.disputes.respond({ id, response: 'accept' });
    await expect(late).rejects.toMatchObject({ status: 409 });
    const thanks = { id, response: 'message', message: 'Sorry, too late.' } as const;
    expect((await merchant.disputes.respond(thanks)).data.dispute.messages).toHaveLength(2);
  });

  it('declines a dispute with a reason, which the merchant can withdraw while the chain allows a refund', async () => {
    const { id } = await open(await sell());
    const no = {
      id,
      response: 'decline',
      reason: 'It was delivered.',
      message: 'See mail.',
    } as const;
    const declined = (await merchant.disputes.respond(no)).data;
    expect(declined).toMatchObject({
      transaction: null,
      approval: null,
      dispute: {
        status: 'declined',
        declineReason: 'It was delivered.',
        messages: [{ from: 'buyer' }, { from: 'merchant', text: 'See mail.' }],
      },
    });
    const yes = (await merchant.disputes.respond({ id, response: 'accept' })).data;
    expect(yes.dispute).toMatchObject({ status: 'accepted', declineReason: null });
  });

  it('accepts messages from both sides, and answers only from the merchant', async () => {
    const { id } = await open(await sell());
    const message = { id, response: 'message' } as const;
    await merchant.disputes.respond({ ...message, message: 'Where to?' });
    const { data } = await buyer.disputes.respond({ ...message, message: 'Home.' });
    const texts = data.dispute.messages.map(({ from, text }) => [from, text]);
    expect(texts).toEqual([
      ['buyer', 'Please.'],
      ['merchant', 'Where to?'],
      ['buyer', 'Home.'],
    ]);
    for (const response of ['accept', 'decline'] as const) {
      const answered = buyer.disputes.respond({ id, response, reason: 'No.' });
      await expect(answered).rejects.toMatchObject({ status: 403 });
    }
    expect(await get(id)).toMatchObject({ status: 'open', messages: { length: 3 } });
  });

  it('accepts a dispute up to the remaining amount, and never for less than was refunded', async () => {
    const saleId = await sell();
    tale.refund('1', saleId, 100_000n, 100_000n);
    await tale.settle();
    const { id } = await open(saleId, { amount: '500000' });
    tale.refund('1', saleId, 200_000n, 300_000n);
    await tale.settle();
    const accept = (amount: string) =>
      merchant.disputes.respond({ id, response: 'accept', amount });
    await expect(accept('0')).rejects.toMatchObject({ status: 400 });
    for (const amount of ['200000', '900001']) {
      const refused = { status: 422, issues: [{ path: 'amount' }] };
      await expect(accept(amount)).rejects.toMatchObject(refused);
    }
    const { dispute, transaction } = (await accept('900000')).data;
    expect(dispute).toMatchObject({ status: 'accepted', acceptedAmount: '900000' });
    expect(transaction?.description).toContain('Refunds 0.70 TUSD to 0x');
    expect((await accept('200001')).data.transaction?.description).toContain(
      'Refunds 0.000001 TUSD to 0x',
    );
    tale.refund('1', saleId, 1n, 300_001n);
    await tale.settle();
    expect((await get(id)).status).toBe('refunded');
  });

  it('asks the attester first in a dispute about a third party’s attestation', async () => {
    const saleId = tale.nextSale();
    const signer = account(77);
    tale.history.add('2', { name: 'SaleAttested', args: { saleId, signer, nonce: saleId } });
    tale.history.sell('2', saleId, { pool: 0n, shares: [] });
    await tale.settle();
    const { id } = await open(saleId, { amount: '250000' });
    const theirs = await tale.fixture.clientAs(OTHER_MERCHANT);
    const { transaction, approval } = (await theirs.disputes.respond({ id, response: 'accept' }))
      .data;
    expect(transaction).toBeNull();
    expect(approval).toEqual({
      attester: signer,
      saleId,
      campaignId: '2',
      termsHash: hash('terms 2'),
      buyer: account(500),
      orderKey: hash(`order ${saleId}`),
      amount: '250000',
      refundedTotal: '250000',
      reasonHash: keccak256(stringToHex(id)),
    });
  });

  it('limits a dispute to 200 messages, however many arrive concurrently', async () => {
    const { id } = await open(await sell());
    await tale.fixture.pool`
      insert into commerce.dispute_message
      select ${id} || n, ${id}, 'buyer', 'again', now() from generate_series(1, 190) n`;
    const message = { id, response: 'message', message: 'Hello?' } as const;
    const responses = await Promise.allSettled(
      Array.from({ length: 12 }, () => buyer.disputes.respond(message)),
    );
    expect(responses.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect((await get(id)).messages).toHaveLength(200);
  });
});

describe('disputes of a merchant', () => {
  let tale: DisputeFixture;
  let merchant: Client;

  beforeAll(async () => {
    tale = await DisputeFixture.open();
    merchant = await tale.fixture.clientAs(MERCHANT);
  });
  afterAll(() => tale.fixture.close());

  it('lists a merchant’s disputes by the end of their holds, in pages, by status and campaign', async () => {
    const { history, fixture } = tale;
    const ends = [700, 650, 900, 650, 800];
    for (const [i, seconds] of ends.entries()) {
      const sale = { pool: 0n, shares: [], holdUntil: history.time + seconds };
      history.sell(i === 2 ? '3' : '1', String(i + 1), sale);
    }
    await tale.settle();
    const buyer = await fixture.clientAs(BUYER);
    for (const saleId of ['1', '2', '3', '4', '5']) {
      await buyer.disputes.open({ chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' });
    }
    const ids = async (query: Parameters<Client['disputes']['list']>[0], as = merchant) => {
      const found: string[] = [];
      for await (const one of as.pages(as.disputes.list, { ...query, limit: 2 })) {
        found.push(one.saleId);
      }
      return found;
    };
    const all = await ids({});
    expect([new Set(all.slice(0, 2)), all.slice(2)]).toEqual([
      new Set(['2', '4']),
      ['1', '5', '3'],
    ]);
    expect(await ids({ campaignId: '3' })).toEqual(['3']);
    await expect(ids({ campaignId: 'demo-1' })).rejects.toMatchObject({ status: 404 });
    await expect(ids({ campaignId: '2' })).rejects.toMatchObject({ status: 403 });
    expect(await ids({}, await fixture.clientAs(OTHER_MERCHANT))).toEqual([]);
    expect(await ids({}, buyer)).toEqual([]);

    const [first] = (await merchant.disputes.list({ limit: 1 })).data.items;
    await merchant.disputes.respond({ id: first?.id ?? '', response: 'accept', amount: '400000' });
    expect(await ids({ status: 'accepted' })).toEqual([first?.saleId]);
    expect(await ids({ status: 'open' })).toHaveLength(4);
  });

  it('sums by token what a merchant’s disputes request and what is not refunded yet', async () => {
    const { data } = await merchant.disputes.exposure();
    expect(data).toMatchObject({ open: 4, accepted: 1 });
    expect(data.byToken.map(({ token, ...totals }) => [token.symbol, totals])).toEqual([
      [
        'TUSD',
        { disputes: 4, requested: '3400000', rewardsAtRisk: '0', proceedsPending: '4000000' },
      ],
      [
        'EURX',
        { disputes: 1, requested: '1000000', rewardsAtRisk: '0', proceedsPending: '1000000' },
      ],
    ]);
    const [earliest] = (await merchant.disputes.list({ limit: 1 })).data.items;
    expect(data.nextRespondBy).toBe(earliest?.respondBy);
    const outsider = (await (await tale.fixture.clientAs(STRANGER)).disputes.exposure()).data;
    expect(outsider).toEqual({ open: 0, accepted: 0, nextRespondBy: null, byToken: [] });
  });

  it('sums the rewards at risk in a merchant’s disputes, without those that a refund released', async () => {
    const { history, fixture } = tale;
    history.sell('3', '6', { nodeId: '2', pool: 100_000n, shares: [100_000n] });
    await tale.settle();
    const buyer = await fixture.clientAs(BUYER);
    await buyer.disputes.open({ chainId: CHAIN_ID, saleId: '6', reason: 'other', message: 'Hm.' });
    const euros = async () => {
      const { byToken } = (await merchant.disputes.exposure()).data;
      return byToken.find(({ token }) => token.symbol === 'EURX');
    };
    expect(await euros()).toMatchObject({ requested: '2000000', rewardsAtRisk: '100000' });
    const level = { saleId: '6', level: 1, nodeId: '2', amount: 40_000n };
    history.reward('3', 'RewardReleased', level);
    tale.refund('3', '6', 400_000n, 400_000n);
    await tale.settle();
    expect(await euros()).toMatchObject({
      disputes: 2,
      requested: '1600000',
      rewardsAtRisk: '60000',
      proceedsPending: '1600000',
    });
  });
});

describe('the status of a dispute', () => {
  it('computes the same status of 400 disputes in SQL, in the core and in every filter', async () => {
    const tale = await DisputeFixture.open();
    const { history, fixture } = tale;
    const random = seeded(7);
    const below = (n: number) => Math.floor(random() * n);
    const expected = new Map<string, string>();
    const due: string[] = [];
    const rows: object[] = [];
    for (let i = 1; i <= 400; i += 1) {
      const saleId = String(i);
      history.sell('1', saleId, { amount: 10n, pool: 0n, shares: [] });
      const refundedTotal = BigInt(below(3) === 0 ? below(11) : below(6));
      if (refundedTotal > 0n) tale.refund('1', saleId, refundedTotal, refundedTotal);
      const final = refundedTotal < 10n && below(3) === 0;
      if (final) tale.finalize('1', saleId);
      const state: SaleState = refundedTotal === 10n ? 'refunded' : final ? 'finalized' : 'pending';
      const answer = (['open', 'accepted', 'declined', 'withdrawn'] as const)[below(4)] ?? 'open';
      const refundedBefore = BigInt(below(Number(refundedTotal) + 1));
      const wasAccepted = answer === 'accepted' || (answer === 'withdrawn' && below(2) === 0);
      const terms: DisputeTerms = {
        answer,
        refundedBefore,
        requestedAmount: BigInt(1 + below(10)),
        acceptedAmount: wasAccepted ? BigInt(1 + below(10)) : null,
      };
      const status = disputeStatus(terms, { state, refundedTotal });
      expected.set(saleId, status);
      if (state === 'pending' && status !== 'open' && status !== 'accepted') due.push(saleId);
      rows.push({
        ...{ id: `d${i}`, campaign_id: 1, buyer: BUYER, order_key: hash(`order ${i}`) },
        ...{ merchant: MERCHANT, hold_until: i, reason: 'other', answer },
        requested_amount: String(terms.requestedAmount),
        accepted_amount: terms.acceptedAmount === null ? null : String(terms.acceptedAmount),
        refunded_before: String(refundedBefore),
        decline_reason: answer === 'declined' ? 'No.' : null,
        ...{ opened_at: new Date(), updated_at: new Date() },
      });
    }
    await tale.settle();
    await fixture.pool`
      insert into commerce.dispute select * from jsonb_populate_recordset(
        null::commerce.dispute, ${JSON.stringify(rows)}::text::jsonb)`;
    const merchant = await fixture.clientAs(MERCHANT);
    const listed = new Map<string, string>();
    for (const status of DisputeStatus.options) {
      const query = { status, limit: 100 };
      for await (const one of merchant.pages(merchant.disputes.list, query)) {
        expect([one.status, one.closedAt === null]).toEqual([
          status,
          one.saleState === 'pending' && status !== 'refunded',
        ]);
        listed.set(one.saleId, status);
      }
    }
    expect(new Map([...listed].sort(([a], [b]) => Number(a) - Number(b)))).toEqual(expected);
    expect(new Set(expected.values()).size).toBe(DisputeStatus.options.length);
    const afterHolds = { timestamp: Number.MAX_SAFE_INTEGER, finalizedNumber: history.block };
    const finalizable = await dueSales(fixture.pool, afterHolds, 1_000);
    expect(finalizable.map((one) => one.saleId).sort()).toEqual(due.sort());
    await fixture.close();
  });
});

describe('the refund that settles a dispute', () => {
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

  it('simulates the refund of a dispute, refunds exactly the missing amount, and closes the dispute', async () => {
    const { fixture } = live;
    const [asBuyer, asMerchant] = [
      await fixture.clientAs(lower(buyer)),
      await fixture.clientAs(lower(merchant)),
    ];
    const request = { chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' } as const;
    const { id } = (await asBuyer.disputes.open({ ...request, amount: '600000' })).data;
    const accept = { id, response: 'accept' } as const;
    const first = (await asMerchant.disputes.respond(accept)).data.transaction;
    expect(first?.simulation).toMatchObject({ status: 'success', error: null });

    // A part of it is on the chain already, and not settled: it is not asked for again.
    await act.refund(chain, merchant, BigInt(saleId), 250_000n);
    const rest = (await asMerchant.disputes.respond(accept)).data.transaction;
    expect(rest?.description).toContain('Refunds 0.35 TUSD to 0x');
    expect(rest?.simulation.status).toBe('success');
    const { to = '0x', data = '0x' } = rest ?? {};
    const refund = { account: merchant, to: lower(to), data: lower(data) };
    await mined(chain.client, await chain.client.sendTransaction(refund));
    expect((await asMerchant.disputes.respond(accept)).data.transaction).toBeNull();
    await live.sync();
    const closed = (await asMerchant.disputes.get({ id })).data;
    expect(closed).toMatchObject({ status: 'refunded', refundedTotal: '600000' });
    await expect(asMerchant.disputes.respond(accept)).rejects.toMatchObject({ status: 409 });
  });

  it('keeps a dispute with its order when a reorg gives the sale another id', async () => {
    const asBuyer = await live.fixture.clientAs(lower(buyer));
    const orderKey = toHex(77, { size: 32 });
    const before = await chain.client.snapshot();
    const sale = String((await act.buy(chain, 1n, buyer, { orderKey })).saleId);
    await live.sync();
    const request = { chainId: CHAIN_ID, saleId: sale, reason: 'other', message: 'Hm.' } as const;
    const { id } = (await asBuyer.disputes.open(request)).data;
    await chain.client.revert({ id: before });
    await live.sync();
    await expect(asBuyer.disputes.get({ id })).rejects.toMatchObject({ status: 404 });
    await act.buy(chain, 1n, buyer);
    const again = String((await act.buy(chain, 1n, buyer, { orderKey })).saleId);
    await live.sync();
    expect(again).not.toBe(sale);
    expect((await asBuyer.disputes.get({ id })).data).toMatchObject({
      saleId: again,
      status: 'open',
    });
    const listed = (await asBuyer.receipts.forBuyer({ limit: 2 })).data.items;
    expect(listed.map(({ saleId: of, dispute }) => [of, dispute?.id])).toEqual([
      [again, id],
      [sale, undefined],
    ]);
  });

  it('records no acceptance while the chain does not say what it has refunded, and returns the refund without a simulation if that is missing', async () => {
    const { fixture } = live;
    const another = await act.buy(chain, 1n, buyer);
    await live.sync();
    const asBuyer = await fixture.clientAs(lower(buyer));
    const request = { chainId: CHAIN_ID, reason: 'other', message: 'Please.' } as const;
    const opened = await asBuyer.disputes.open({ ...request, saleId: String(another.saleId) });
    const blind = await fixture.clientAs(lower(merchant), { client: away });
    const { id } = opened.data;
    await expect(blind.disputes.respond({ id, response: 'accept' })).rejects.toMatchObject({
      status: 503,
    });
    expect((await asBuyer.disputes.get({ id })).data.status).toBe('open');
    const withoutGas = custom({
      request: async (request) => {
        if (request.method !== 'eth_call') throw new Error('the chain is away');
        return await chain.client.request(request);
      },
    });
    const client = createPublicClient({ transport: withoutGas });
    const dim = await fixture.clientAs(lower(merchant), { client });
    const answered = await dim.disputes.respond({ id, response: 'accept' });
    expect(answered.data.transaction).toMatchObject({ simulation: { status: 'unavailable' } });
  });
});
