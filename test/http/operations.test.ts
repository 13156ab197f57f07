import { type Address, type Hex, keccak256, stringToHex, toHex, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import type { Client } from '../../engine/client/index.ts';
import type { MethodOf, OutputOf } from '../../engine/contract/types.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  deployCautiousToken,
  deployToken,
  mined,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { CHAIN_ID } from './support/api-fixture.ts';
import { confirmed } from './support/confirmed.ts';
import { away, LiveFixture } from './support/live-fixture.ts';

type Prepared = OutputOf<MethodOf<'operations.pause'>>;
type Detail = OutputOf<MethodOf<'campaigns.get'>>;

/** Every value that a preview of a campaign can name, by its path. */
function valuesOf(detail: Detail): Map<string, string> {
  const { state, price, capacity, rewardLedger, proceedsLedger, counts } = detail;
  const groups = Object.entries({ capacity, rewardLedger, proceedsLedger, counts });
  return new Map([
    ['state', state],
    ['price', price],
    ...groups.flatMap(([group, fields]) =>
      Object.entries(fields).map(([name, value]): [string, string] => [
        `${group}.${name}`,
        String(value),
      ]),
    ),
  ]);
}

/** What differs between two answers of `campaigns.get`, as a preview says it. */
function differences(before: Detail, after: Detail) {
  const later = valuesOf(after);
  return [...valuesOf(before)].flatMap(([field, value]) =>
    later.get(field) === value
      ? []
      : [
          {
            subject: 'campaign',
            id: before.campaignId,
            field,
            before: value,
            after: later.get(field),
          },
        ],
  );
}

const byField = (a: { field: string }, b: { field: string }) => (a.field < b.field ? -1 : 1);
const codes = (list: readonly { code: string }[]) => list.map(({ code }) => code);
const steps = ({ transactions }: Pick<Prepared, 'transactions'>) =>
  transactions.map(({ step }) => step);

/** Every operation is signed and sent to a chain with the contract, and the fold must give what was shown. */
describe('the operations of a merchant', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let token: Address;
  let [merchant, buyer, seller, other]: Hex[] = [];
  let client: Client;

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    [merchant, buyer, seller, other] = [1, 2, 3, 4].map((i) => lower(accountAt(chain.accounts, i)));
    token = await deployToken(chain);
    await act.giveTokens(chain, token, buyerOf(), 1_000_000_000n);
    client = await live.fixture.clientAs(merchantOf());
  });
  afterAll(() => live.close());

  const merchantOf = () => merchant as Hex;
  const buyerOf = () => buyer as Hex;

  async function mint(account: Address, amount: bigint): Promise<void> {
    const call = { address: token, abi: testTokenAbi, account } as const;
    const args = [account, amount] as const;
    await mined(
      chain.client,
      await chain.client.writeContract({ ...call, functionName: 'mint', args }),
    );
  }

  /** A campaign of the merchant's that is funded with 1,000,000 base units. */
  async function funded(changes: Parameters<typeof act.createCampaign>[3] = {}): Promise<bigint> {
    const id = await act.createCampaign(chain, merchantOf(), token, changes);
    await act.fund(chain, { id, token }, merchantOf(), 1_000_000n);
    return id;
  }

  async function detailOf(campaignId: bigint | string): Promise<Detail> {
    return (await client.campaigns.get({ campaignId: String(campaignId) })).data;
  }

  /** Signs and sends the transactions in their order, and settles. */
  async function send({ transactions }: Pick<Prepared, 'transactions'>): Promise<void> {
    for (const { transaction } of transactions) {
      const { to, data } = transaction;
      const sent = { account: merchantOf(), to: lower(to), data: lower(data) };
      await mined(chain.client, await chain.client.sendTransaction(sent));
    }
    await live.syncToHead();
  }

  /** Sends what was prepared, and expects the campaign to change exactly as the preview says. */
  async function expectAsShown(prepared: Prepared): Promise<void> {
    expect(prepared).toMatchObject({ status: 'ready', reasons: [] });
    const before = await detailOf(prepared.campaignId);
    await send(prepared);
    const shown = prepared.preview.filter(({ subject }) => subject === 'campaign');
    const actual = differences(before, await detailOf(prepared.campaignId));
    expect([...shown].sort(byField)).toEqual(actual.sort(byField));
    const { data: status } = await client.system.status();
    expect(status.discrepancies.count).toBe(0);
  }

  it('funds a campaign whose token changes an allowance from or to zero only', async () => {
    const cautious = await deployCautiousToken(chain);
    const campaignId = String(await act.createCampaign(chain, merchantOf(), cautious));
    const call = { address: cautious, abi: testTokenAbi, account: merchantOf() } as const;
    for (const [functionName, args] of [
      ['mint', [merchantOf(), 700_000n]],
      ['approve', [chain.contract, 1n]],
    ] as const) {
      await mined(chain.client, await chain.client.writeContract({ ...call, functionName, args }));
    }
    await live.syncToHead();
    const { data } = await client.operations.fund({ campaignId, amount: '500000' });
    expect(steps(data)).toEqual(['RESET_ALLOWANCE', 'APPROVE', 'FUND']);
    await expectAsShown(data);
  });

  it('funds a campaign: an approval only while the allowance is too small', async () => {
    const campaignId = String(await act.createCampaign(chain, merchantOf(), token));
    await mint(merchantOf(), 700_000n);
    await live.syncToHead();
    const { data: first } = await client.operations.fund({ campaignId, amount: '500000' });
    expect(steps(first)).toEqual(['APPROVE', 'FUND']);
    expect(first.transactions.map(({ transaction }) => transaction.simulation.status)).toEqual([
      ...['success', 'unavailable'],
    ]);
    expect(first.preview).toContainEqual({
      ...{ subject: 'campaign', id: campaignId, field: 'state' },
      ...{ before: 'CREATED_UNFUNDED', after: 'FUNDED_ACTIVE' },
    });
    expect(first.warnings).toEqual([
      { code: 'BUDGET', message: 'The budget covers 5 more sales at 1.00 TUSD.' },
    ]);
    await expectAsShown(first);

    const { data: short } = await client.operations.fund({ campaignId, amount: '300000' });
    expect(codes(short.warnings)).toEqual(['BUDGET', 'BALANCE_SHORT']);
    await act.giveTokens(chain, token, merchantOf(), 1n);
    const { data: second } = await client.operations.fund({ campaignId, amount: '200001' });
    expect(steps(second)).toEqual(['FUND']);
    await expectAsShown(second);
    const { data: none } = await client.operations.fund({ campaignId, amount: '1' });
    expect(none).toMatchObject({ status: 'refused', transactions: [], preview: [] });
    expect(none.reasons).toHaveLength(1);
  });

  it('pauses, resumes and ends a campaign, and says if that is so already', async () => {
    const campaignId = String(await funded());
    await live.syncToHead();
    const { data: resumed } = await client.operations.resume({ campaignId });
    expect(resumed).toMatchObject({ status: 'in_effect', transactions: [], preview: [] });

    const { data: pause } = await client.operations.pause({ campaignId });
    expect((await client.operations.pause({ campaignId })).data).toEqual(pause);
    expect(codes(pause.warnings)).toEqual(['STOPS_SALES']);
    await expectAsShown(pause);
    expect((await client.operations.pause({ campaignId })).data.status).toBe('in_effect');

    const { data: resume } = await client.operations.resume({ campaignId });
    expect(codes(resume.warnings)).toEqual(['BUDGET']);
    await expectAsShown(resume);

    await expect(client.operations.end({ campaignId })).rejects.toMatchObject({
      code: 'CONFIRMATION_REQUIRED',
    });
    const sure = await confirmed(live.fixture, merchantOf());
    const { confirmationToken } = sure;
    const { data: end } = await sure.client.operations.end({ campaignId, confirmationToken });
    expect(codes(end.warnings)).toEqual(['FINAL']);
    await expectAsShown(end);
    expect((await client.operations.end({ campaignId })).data.status).toBe('in_effect');
    for (const method of [client.operations.pause, client.operations.resume]) {
      expect((await method({ campaignId })).data).toMatchObject({
        status: 'refused',
        reasons: [{ error: 'WrongState' }],
        transactions: [],
      });
    }
  });

  it('returns no transaction if the chain has changed since the settled block', async () => {
    const id = await funded();
    await live.syncToHead();
    await act.send(chain, merchantOf(), 'pause', [id]);
    const { data } = await client.operations.pause({ campaignId: String(id) });
    expect(data).toMatchObject({
      status: 'refused',
      reasons: [{ error: 'WrongState', message: expect.stringContaining(`WrongState(${id}, 2)`) }],
      ...{ preview: [], warnings: [], transactions: [] },
    });
  });

  it('schedules a policy, and shows each field that it changes', async () => {
    const id = await funded();
    const campaignId = String(id);
    await live.syncToHead();
    const { timestamp } = await chain.client.getBlock();
    const inSeconds = (seconds: number) =>
      new Date((Number(timestamp) + seconds) * 1_000).toISOString().replace('.000', '');
    const policy = {
      commissionBps: 500,
      maxRewardedAncestors: 1,
      weightsBps: [10_000],
      shortPathMode: 'RETURN_UNUSED',
      holdSeconds: 120,
      expiry: '2100-01-01T00:00:00Z',
      excludesSelfReferral: true,
      regions: ['EU'],
    } as const;
    const asked = {
      campaignId,
      policy: { ...policy, weightsBps: [10_000] },
      effectiveAt: inSeconds(4_000),
    };
    const body = { ...asked, policy: { ...asked.policy, regions: ['EU'] } };
    const { data } = await client.operations.schedulePolicy(body);
    expect(data).toMatchObject({ version: 2, effectiveAt: inSeconds(4_000).replace('Z', '.000Z') });
    const fields = new Map(data.preview.map((one) => [one.field, [one.before, one.after]]));
    expect(fields.get('commissionBps')).toEqual(['1000', '500']);
    expect(fields.get('weightsBps')).toEqual(['[5000,3000,2000]', '[10000]']);
    expect(fields.get('regions')).toEqual(['[]', '["EU"]']);
    expect(fields.get('excludesSelfReferral')).toEqual(['false', 'true']);
    expect(fields.has('expiry')).toBe(false);
    await send(data);
    const { data: policies } = await client.campaigns.policy({ campaignId });
    expect(policies.scheduled).toMatchObject([
      {
        ...policy,
        version: 2,
        effectiveAt: data.effectiveAt,
        expiry: expect.any(String),
        policyHash: data.policyHash,
        eligibilityHash: data.eligibilityHash,
      },
    ]);
    const again = (await client.operations.schedulePolicy(body)).data;
    expect(again).toMatchObject({ status: 'in_effect', version: 2, policyHash: data.policyHash });

    const sooner = { ...body, effectiveAt: inSeconds(3_900) };
    const { data: hiding } = await client.operations.schedulePolicy(sooner);
    expect(codes(hiding.warnings)).toEqual(['BUDGET', 'HIDES_VERSION']);
    const wrong = {
      campaignId,
      effectiveAt: inSeconds(60),
      policy: { ...body.policy, rewardToken: merchantOf(), expiry: inSeconds(30) },
    };
    await expect(client.operations.schedulePolicy(wrong)).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      issues: [{ path: 'policy.rewardToken' }, { path: 'effectiveAt' }, { path: 'policy.expiry' }],
    });
    for (const seconds of [4_100, 4_200, 4_300]) {
      const more = { ...body, effectiveAt: inSeconds(seconds) };
      await send((await client.operations.schedulePolicy(more)).data);
    }
    const fifth = { ...body, effectiveAt: inSeconds(4_400) };
    expect((await client.operations.schedulePolicy(fifth)).data).toMatchObject({
      status: 'refused',
      reasons: [{ error: 'TooManyPoliciesWaiting' }],
    });
  });

  it('prices the own SKU and others', async () => {
    const id = await funded();
    const campaignId = String(id);
    await live.syncToHead();
    const { data: own } = await client.operations.priceVariant({ campaignId, price: '2000000' });
    expect(own.skuHash).toBe(act.SKU);
    expect(codes(own.warnings)).toEqual(['BUDGET', 'PRICE_RAISED']);
    await expectAsShown(own);
    const again = await client.operations.priceVariant({ campaignId, price: '2000000' });
    expect(again.data.status).toBe('in_effect');

    const skuHash = keccak256(toHex('another'));
    const variant = { campaignId, skuHash, price: '5' };
    const { data: priced } = await client.operations.priceVariant(variant);
    expect(priced.preview).toEqual([
      { subject: 'price', id: skuHash, field: 'price', before: null, after: '5' },
    ]);
    await expectAsShown(priced);
    expect((await client.operations.priceVariant(variant)).data.status).toBe('in_effect');
    const { data: preview } = await client.checkout.preview({ campaignId, skuHash });
    expect(preview.price).toBe('5');
    const unknown = { campaignId, variantId: 'nope', price: '5' };
    await expect(client.operations.priceVariant(unknown)).rejects.toMatchObject({ status: 404 });
  });

  it('raises capacities, and never lowers them', async () => {
    const id = await funded({ input: { nodeCapacity: 5n, saleCapacity: 5n } });
    const campaignId = String(id);
    await live.syncToHead();
    const { data } = await client.operations.raiseCapacity({ campaignId, sales: 7 });
    expect(data.preview).toEqual([
      { subject: 'campaign', id: campaignId, field: 'capacity.sales', before: '5', after: '7' },
    ]);
    await expectAsShown(data);
    const same = await client.operations.raiseCapacity({ campaignId, nodes: 5, sales: 7 });
    expect(same.data.status).toBe('in_effect');
    const lower_ = await client.operations.raiseCapacity({ campaignId, nodes: 9, sales: 6 });
    expect(lower_.data).toMatchObject({ status: 'refused', reasons: [{ error: 'CapacityFalls' }] });
    await expect(client.operations.raiseCapacity({ campaignId })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'nodes' }],
    });
  });

  it('allows an attester within limits, changes them, and withdraws them', async () => {
    const campaignId = String(await funded({ input: { trustMode: 2 } }));
    await live.syncToHead();
    const account = other as Hex;
    const withdrawal = { campaignId, account, allowed: false };
    expect((await client.operations.allowAttester(withdrawal)).data.status).toBe('in_effect');
    const limits = { perOrder: '5000', daily: '20000', expiry: '2090-01-01T00:00:00.000Z' };
    const attester = { campaignId, account, allowed: true, ...limits };
    const { data } = await client.operations.allowAttester(attester);
    const change = (field: string, before: string | null, after: string | null) => ({
      ...{ subject: 'attester', id: account, field, before, after },
    });
    expect(data.preview).toEqual([
      change('allowed', 'false', 'true'),
      change('perOrder', null, '5000'),
      change('daily', null, '20000'),
      change('expiry', null, limits.expiry),
    ]);
    await send(data);
    const limitsOf = async () =>
      (await client.permissions.list({ campaignId, role: 'attester' })).data.items.map(
        (one) => one.limits,
      );
    expect(await limitsOf()).toEqual([{ ...limits, attestedToday: '0', inForce: true }]);
    expect((await client.operations.allowAttester(attester)).data.status).toBe('in_effect');
    const { data: lower_ } = await client.operations.allowAttester({ ...attester, daily: '7000' });
    expect(lower_.preview).toEqual([change('daily', '20000', '7000')]);
    await send(lower_);
    const { data: none } = await client.operations.allowAttester(withdrawal);
    expect(none.preview).toEqual([
      change('allowed', 'true', 'false'),
      change('perOrder', '5000', null),
      change('daily', '7000', null),
      change('expiry', limits.expiry, null),
    ]);
    await send(none);
    expect(await limitsOf()).toEqual([null]);
    const wrong: [object, string][] = [
      [{ account: merchantOf() }, 'account'],
      [{ account: `0x${'0'.repeat(40)}` }, 'account'],
      [{ expiry: '2021-01-01T00:00:00Z' }, 'expiry'],
    ];
    for (const [changed, path] of wrong) {
      await expect(
        client.operations.allowAttester({ ...attester, ...changed }),
      ).rejects.toMatchObject({ code: 'UNPROCESSABLE', issues: [{ path }] });
    }
    const native = String(await funded());
    await live.syncToHead();
    const { data: useless } = await client.operations.allowAttester({
      ...attester,
      campaignId: native,
    });
    expect(codes(useless.warnings)).toEqual(['NO_EFFECT']);
  });

  it('allows distributors, one transaction for each that changes', async () => {
    const id = await funded({ input: { inviteOnly: true } });
    const campaignId = String(id);
    await live.syncToHead();
    const accounts = [seller as Hex, other as Hex, seller as Hex];
    const { data } = await client.operations.allowDistributors({
      campaignId,
      accounts,
      allowed: true,
    });
    expect(data.preview).toEqual(
      [seller, other].map((account) => ({
        ...{
          subject: 'distributor',
          id: account,
          field: 'allowed',
          before: 'false',
          after: 'true',
        },
      })),
    );
    await expectAsShown(data);
    const one = { campaignId, accounts: [seller as Hex], allowed: true };
    expect((await client.operations.allowDistributors(one)).data.status).toBe('in_effect');
    const { data: off } = await client.operations.allowDistributors({
      ...{ campaignId, accounts: [other as Hex, buyerOf()], allowed: false },
    });
    expect(off.preview.map((change) => change.id)).toEqual([other]);
    await expectAsShown(off);
    const joining = async (account: Hex) =>
      (await (await live.fixture.clientAs(account)).links.joinPreview({ campaignId })).data.reasons;
    expect(await joining(seller as Hex)).toEqual([]);
    expect(await joining(other as Hex)).toEqual(['not_allowed']);

    const withZeroAddress = { campaignId, accounts: [`0x${'0'.repeat(40)}` as Hex], allowed: true };
    await expect(client.operations.allowDistributors(withZeroAddress)).rejects.toMatchObject({
      issues: [{ path: 'accounts.0' }],
    });
    const open = String(await funded());
    await live.syncToHead();
    const { data: useless } = await client.operations.allowDistributors({
      ...one,
      campaignId: open,
    });
    expect(codes(useless.warnings)).toEqual(['NO_EFFECT']);
  });

  it('refunds in part and in whole, and finalizes what is due, sales without a link too', async () => {
    const id = await funded();
    const campaignId = String(id);
    const node = await act.join(chain, id, seller as Hex);
    const sales: string[] = [];
    for (const nodeId of [node, node, 0n]) {
      sales.push(String((await act.buy(chain, id, buyerOf(), { nodeId })).saleId));
    }
    await live.syncToHead();
    const [partly = '', wholly = '', direct = ''] = sales;
    const part = { saleId: partly, amount: '400000', reason: 'Two of five were broken.' };
    const { data: some } = await client.operations.refund(part);
    expect(some).toMatchObject({
      approval: null,
      reasonHash: keccak256(stringToHex(part.reason)),
      preview: expect.arrayContaining([
        { subject: 'sale', id: partly, field: 'refundedTotal', before: '0', after: '400000' },
        { subject: 'account', id: seller, field: 'reserved', before: '200000', after: '160000' },
        { subject: 'account', id: seller, field: 'refunded', before: '0', after: '40000' },
      ]),
    });
    await expectAsShown(some);
    const { data: whole } = await client.operations.refund({ saleId: wholly });
    expect(whole.reasonHash).toBe(zeroHash);
    expect(whole.preview).toContainEqual({
      ...{ subject: 'sale', id: wholly, field: 'state', before: 'pending', after: 'refunded' },
    });
    await expectAsShown(whole);
    expect((await client.operations.refund({ saleId: wholly })).data.status).toBe('in_effect');
    const refusals: [Parameters<Client['operations']['refund']>[0], string][] = [
      [{ saleId: wholly, amount: '1' }, 'SaleNotPending'],
      [{ saleId: partly, amount: '600001' }, 'RefundTooLarge'],
      [
        { saleId: partly, approval: { signature: '0x00', deadline: '2030-01-01T00:00:00Z' } },
        'UnexpectedSignature',
      ],
    ];
    for (const [input, error] of refusals) {
      const { data } = await client.operations.refund(input);
      expect(data).toMatchObject({ status: 'refused', reasons: [{ error }], transactions: [] });
    }

    const { data: early } = await client.operations.finalize({ campaignId });
    expect(early).toMatchObject({ status: 'in_effect', dueSales: 0, dueAmount: '0', saleIds: [] });
    await act.advance(chain, 61);
    await live.syncToHead();
    const { data: due } = await client.operations.finalize({ campaignId });
    expect(due).toMatchObject({ dueSales: 2, dueAmount: '1600000', saleIds: [partly, direct] });
    const { data: named } = await client.operations.finalize({ campaignId, saleIds: [direct] });
    expect(named.saleIds).toEqual([direct]);
    await expect(
      client.operations.finalize({ campaignId, saleIds: [wholly, '4242'] }),
    ).rejects.toMatchObject({ issues: [{ path: 'saleIds.0' }, { path: 'saleIds.1' }] });
    await expectAsShown(due);
    const { data: done } = await client.operations.finalize({ campaignId });
    expect(done).toMatchObject({ status: 'in_effect', dueSales: 0 });
    const { data: native } = await client.operations.reverse({ saleId: direct });
    expect(native).toMatchObject({
      status: 'refused',
      reasons: [
        {
          error: 'WrongTrustMode',
          message: expect.stringContaining(
            'finalized sales reversed, in MERCHANT_ATTESTED and THIRD_PARTY_VERIFIED',
          ),
        },
      ],
    });
  });

  it('leaves disputed sales out, unless they are named', async () => {
    const id = await funded();
    const campaignId = String(id);
    const saleId = String((await act.buy(chain, id, buyerOf())).saleId);
    await live.syncToHead();
    const { disputes } = await live.fixture.clientAs(buyerOf());
    await disputes.open({ chainId: CHAIN_ID, saleId, reason: 'other', message: 'Please.' });
    expect(codes((await client.operations.refund({ saleId })).data.warnings)).toEqual(['DISPUTED']);
    await act.advance(chain, 61);
    await live.syncToHead();
    const { data: without } = await client.operations.finalize({ campaignId });
    expect(without).toMatchObject({ status: 'in_effect', dueSales: 1, saleIds: [] });
    expect(codes(without.warnings)).toEqual(['DISPUTED']);
    const { data: named } = await client.operations.finalize({ campaignId, saleIds: [saleId] });
    expect(codes(named.warnings)).toEqual(['DISPUTED']);
    await expectAsShown(named);
  });

  it('refuses to prepare a refund again before the first has settled', async () => {
    const id = await funded();
    const sale = await act.buy(chain, id, buyerOf());
    await live.syncToHead();
    await act.refund(chain, merchantOf(), sale.saleId, 100n);
    const again = client.operations.refund({ saleId: String(sale.saleId), amount: '100' });
    await expect(again).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
  });

  it('answers 403 for what is another merchant’s, and 404 for what does not exist', async () => {
    const id = await funded();
    const sale = await act.buy(chain, id, buyerOf());
    await live.syncToHead();
    const { operations } = await live.fixture.clientAs(other as Hex);
    const campaignId = String(id);
    const saleId = String(sale.saleId);
    await expect(operations.pause({ campaignId })).rejects.toMatchObject({ status: 403 });
    await expect(operations.finalize({ campaignId })).rejects.toMatchObject({ status: 403 });
    await expect(operations.refund({ saleId })).rejects.toMatchObject({ status: 403 });
    await expect(operations.pause({ campaignId: '4242' })).rejects.toMatchObject({ status: 404 });
    await expect(operations.reverse({ saleId: '4242' })).rejects.toMatchObject({ status: 404 });
  });

  it('prepares transactions without a simulation while the chain is away, but no deposit', async () => {
    const campaignId = String(await funded());
    await live.syncToHead();
    const { operations } = await live.fixture.clientAs(merchantOf(), { client: away });
    const { data } = await operations.pause({ campaignId });
    expect(data.transactions).toMatchObject([
      { transaction: { simulation: { status: 'unavailable' } } },
    ]);
    await expect(operations.fund({ campaignId, amount: '1' })).rejects.toMatchObject({
      code: 'NOT_READY',
    });
  });
});
