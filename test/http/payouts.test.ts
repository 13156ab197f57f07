import { erc20Abi, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quirkyTokenAbi } from '../../abis/test/quirkyToken.ts';
import type { Client } from '../../engine/client/index.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  deployQuirkyToken,
  deployToken,
  mined,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { account } from '../support/history.ts';
import { bitsOf } from '../tokens/kinds.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { LiveFixture } from './support/live-fixture.ts';

describe('a payout of everything', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let [merchant, buyer, seller]: Hex[] = [];
  let tokens: Hex[] = [];
  let ids: bigint[] = [];
  let client: Client;

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    [merchant, buyer, seller] = [1, 2, 3].map((i) => lower(accountAt(chain.accounts, i)));
    tokens = [lower(await deployToken(chain)), lower(await deployToken(chain, { symbol: 'EURX' }))];
    client = await live.fixture.clientAs(seller as Hex);
    for (const token of [...tokens, tokens[0] as Hex]) {
      const id = await act.createCampaign(chain, merchant as Hex, token);
      await act.fund(chain, { id, token }, merchant as Hex, 1_000_000n);
      await act.giveTokens(chain, token, buyer as Hex, 10_000_000n);
      const nodeId = await act.join(chain, id, seller as Hex);
      await act.buy(chain, id, buyer as Hex, { nodeId });
      ids = [...ids, id];
    }
  });
  afterAll(() => live.close());

  const balances = () =>
    Promise.all(
      tokens.map((address) =>
        chain.client.readContract({
          address,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [seller as Hex],
        }),
      ),
    );

  it('finalizes and claims in every campaign, in order, until nothing is left', async () => {
    await live.syncToHead();
    const { data: early } = await client.payouts.prepareAll();
    expect(early).toEqual({
      ...{ byToken: [], campaignIds: [], saleIds: [], leftOut: [], more: false },
      ...{ transactions: [], reasons: [] },
    });
    await act.advance(chain, 61);
    // The third is finalized already.
    await act.send(chain, buyer as Hex, 'finalize', [[3n]]);
    await live.syncToHead();
    const { data } = await client.payouts.prepareAll();
    expect(data).toMatchObject({
      byToken: [
        { token: { symbol: 'TUSD' }, campaigns: 2, claimable: '100000', readyToFinalize: '100000' },
        { token: { symbol: 'EURX' }, campaigns: 1, claimable: '0', readyToFinalize: '100000' },
      ],
      campaignIds: [...ids].reverse().map(String),
      saleIds: ['2', '1'],
      more: false,
      transactions: [
        { step: 'FINALIZE', transaction: { simulation: { status: 'success' } } },
        { step: 'CLAIM', transaction: { simulation: { status: 'unavailable' } } },
      ],
    });
    const before = await balances();
    for (const { transaction } of data.transactions) {
      const { to, data: call } = transaction;
      const sent = { account: seller as Hex, to: lower(to), data: lower(call) };
      await mined(chain.client, await chain.client.sendTransaction(sent));
    }
    const gained = (await balances()).map((balance, i) => balance - (before[i] ?? 0n));
    expect(gained).toEqual([200_000n, 100_000n]);
    await live.syncToHead();
    expect((await client.payouts.prepareAll()).data).toEqual(early);
  });

  it('leaves out a campaign whose token reverts its claim, and pays the others', async () => {
    const { client: wallet } = chain;
    const token = await deployQuirkyToken(chain);
    const quirky = { address: token, abi: quirkyTokenAbi, account: merchant as Hex } as const;
    const id = await act.createCampaign(chain, merchant as Hex, token);
    await act.fund(chain, { id, token }, merchant as Hex, 1_000_000n);
    await act.giveTokens(chain, token, buyer as Hex, 10_000_000n);
    const odd = { id, nodeId: await act.join(chain, id, seller as Hex) };
    const [first = 0n] = ids;
    const ordinary = { id: first, nodeId: 1n };
    const sales: bigint[] = [];
    for (const { id: campaignId, nodeId } of [odd, ordinary]) {
      sales.push((await act.buy(chain, campaignId, buyer as Hex, { nodeId })).saleId);
    }
    await act.advance(chain, 61);
    await act.send(chain, buyer as Hex, 'finalize', [sales]);
    const feeOnTop = { functionName: 'setQuirks', args: [bitsOf(['feeOnTop'])] } as const;
    await mined(wallet, await wallet.writeContract({ ...quirky, ...feeOnTop }));
    await live.syncToHead();
    const { data } = await client.payouts.prepareAll();
    expect(data).toMatchObject({
      campaignIds: [String(first)],
      leftOut: [
        {
          campaignId: String(id),
          error: 'InexactTransfer',
          message: expect.stringContaining('The token moved another amount than it was asked to.'),
        },
      ],
      transactions: [{ step: 'CLAIM', transaction: { simulation: { status: 'success' } } }],
      reasons: [],
    });
    const before = await balances();
    const [claim] = data.transactions;
    const { to, data: call } = claim?.transaction ?? { to: '0x', data: '0x' };
    const sent = { account: seller as Hex, to: lower(to), data: lower(call) };
    await mined(wallet, await wallet.sendTransaction(sent));
    expect((await balances()).map((balance, i) => balance - (before[i] ?? 0n))).toEqual([
      ...[100_000n, 0n],
    ]);
    await live.syncToHead();
    // Once the token behaves, nothing was lost.
    const noQuirks = { functionName: 'setQuirks', args: [0n] } as const;
    await mined(wallet, await wallet.writeContract({ ...quirky, ...noQuirks }));
    expect((await client.payouts.prepareAll()).data).toMatchObject({
      campaignIds: [String(id)],
      leftOut: [],
    });
  });
});

describe('a payout with many sales and campaigns', () => {
  it('takes 300 sales and 50 campaigns at a time, and says that there are more', async () => {
    const fixture = await ApiFixture.open();
    const history = new HistoryBuilder();
    const owner = account(11);
    for (let campaign = 1; campaign <= 52; campaign += 1) {
      const id = String(campaign);
      history.create(id);
      history.schedule(id);
      history.fund(id, 1_000_000_000n);
      const args = { nodeId: id, parentNodeId: '0', owner };
      history.add(id, { name: 'NodeJoined', args });
      const sales = campaign > 48 ? 90 : 1;
      for (let sale = 0; sale < sales; sale += 1) {
        const saleId = String(campaign * 1_000 + sale);
        history.sell(id, saleId, { nodeId: id, pool: 100_000n, shares: [100_000n] });
      }
    }
    history.nextBlock(100_000);
    history.add('1', { name: 'CampaignPaused', args: {} });
    await fixture.settle(history.facts);
    const { payouts } = await fixture.clientAs(owner);
    const { data } = await payouts.prepareAll();
    expect(data.saleIds).toHaveLength(300);
    expect(data.more).toBe(true);
    expect(data.transactions.map(({ step }) => step)).toEqual([
      ...['FINALIZE', 'FINALIZE', 'FINALIZE', 'CLAIM'],
    ]);
    // The newest campaigns have 90 sales each.
    expect(data.campaignIds).toEqual(['52', '51', '50', '49']);
    await fixture.close();
  });
});
