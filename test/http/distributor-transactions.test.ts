import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainOf } from '../../engine/cli/connect.ts';

import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  mined,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { factsFrom, factsOfChain } from '../support/facts.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

/** The transactions that are handed out do what they say, on a real chain with the contract. */
describe('what a distributor and a merchant may sign', () => {
  let chain: TestChain;
  let fixture: ApiFixture;
  let merchant: Address;
  let seller: Address;
  let newcomer: Address;
  let campaignId: string;
  let nodeId: string;

  beforeAll(async () => {
    chain = await startTestChain();
    merchant = lower(accountAt(chain.accounts, 1));
    seller = lower(accountAt(chain.accounts, 3));
    newcomer = lower(accountAt(chain.accounts, 4));
    const buyer = accountAt(chain.accounts, 2);
    const token = await deployToken(chain);
    const id = await act.createCampaign(chain, merchant, token);
    campaignId = String(id);
    await act.fund(chain, { id, token }, merchant, 1_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    const node = await act.join(chain, id, seller);
    nodeId = String(node);
    for (let sale = 0; sale < 3; sale += 1) await act.buy(chain, id, buyer, { nodeId: node });
    await act.advance(chain, 61);
    fixture = await ApiFixture.open({
      client: chain.client,
      deployment: {
        chainId: CHAIN_ID,
        genesisHash: chain.genesisHash,
        contractAddress: lower(chain.contract),
        startBlock: Number(chain.startBlock),
        explorerUrl: null,
      },
    });
    await settle();
  });
  afterAll(async () => {
    await fixture.close();
    await chain.stop();
  });

  let settledFacts = 0;

  /** Lets the ledger follow the chain. */
  async function settle(): Promise<void> {
    const rows = (await factsOfChain(chain)).slice(settledFacts);
    settledFacts += rows.length;
    await fixture.settle(factsFrom(rows), { chain: chainOf(chainEnv(chain)) });
    const { number, hash, timestamp } = await chain.client.getBlock();
    await fixture.pool`
      update ledger.head set settled_number = ${String(number)}, settled_hash = ${hash},
        settled_timestamp = ${String(timestamp)}`;
  }

  /** Signs and sends it as that account, and lets the ledger follow. */
  async function sign(from: Address, transaction: { to: string; data: string } | null | undefined) {
    if (!transaction) throw new Error('There is nothing to sign.');
    const { to, data } = transaction;
    const sent = { account: from, to: lower(to), data: lower(data) };
    await mined(chain.client, await chain.client.sendTransaction(sent));
    await settle();
  }

  it('finalizes, claims, withdraws proceeds and joins, and updates the record', async () => {
    const { earnings } = await fixture.clientAs(seller);
    const [waiting] = (await earnings.claimable()).data.items;
    expect(waiting).toMatchObject({
      ...{ campaignId, claimable: '0', readyToFinalize: '300000', claim: null },
      finalizeSaleIds: ['1', '2', '3'],
      finalize: { simulation: { status: 'success', error: null } },
    });
    await sign(seller, waiting?.finalize);

    const [payable] = (await earnings.claimable()).data.items;
    expect(payable).toMatchObject({
      ...{ claimable: '300000', readyToFinalize: '0', finalizeSaleIds: [], finalize: null },
      claim: { simulation: { status: 'success' }, to: fixture.deps.deployment.contractAddress },
    });
    await sign(seller, payable?.claim);
    expect((await earnings.claimable()).data.items).toEqual([]);
    expect((await earnings.claims()).data.items).toMatchObject([{ campaignId, amount: '300000' }]);

    const { vault } = await fixture.clientAs(merchant);
    const before = (await vault.get({ campaignId })).data.actions;
    expect(before).toMatchObject({
      claimProceeds: { simulation: { status: 'success' } },
      withdrawSurplus: null,
    });
    await sign(merchant, before?.claimProceeds);
    const { data: paid } = await vault.get({ campaignId });
    expect(paid.byToken[0]?.proceedsLedger).toMatchObject({
      ...{ proceedsClaimable: '0', proceedsClaimed: '3000000' },
    });

    const { links } = await fixture.clientAs(newcomer);
    const preview = async () =>
      (await links.joinPreview({ campaignId, parentNodeId: nodeId })).data;
    const { transaction } = await preview();
    expect(transaction?.simulation).toMatchObject({ status: 'success' });
    await sign(newcomer, transaction);
    expect((await preview()).ownNodes).toEqual(['2']);
    expect((await links.mine()).data.items).toMatchObject([{ nodeId: '2', parentNodeId: nodeId }]);
  });

  it('reports that a transaction would revert if the chain has changed since the settled block', async () => {
    await act.send(chain, merchant, 'pause', [BigInt(campaignId)]);
    const { links } = await fixture.clientAs(newcomer);
    const { data } = await links.joinPreview({ campaignId });
    expect(data.eligible).toBe(true);
    expect(data.transaction?.simulation).toMatchObject({
      status: 'revert',
      error: expect.stringMatching(/^[A-Z]\w+\(/),
    });
    await settle();
    expect((await links.joinPreview({ campaignId })).data).toMatchObject({
      ...{ eligible: false, reasons: ['paused'], transaction: null },
    });
  });

  it('withdraws the surplus when the campaign is over', async () => {
    await act.send(chain, merchant, 'end', [BigInt(campaignId)]);
    await settle();
    const { vault } = await fixture.clientAs(merchant);
    const { data } = await vault.get({ campaignId });
    expect(data.actions).toMatchObject({
      claimProceeds: null,
      withdrawSurplus: { simulation: { status: 'success' } },
    });
    await sign(merchant, data.actions?.withdrawSurplus);
    const { data: after } = await vault.get({ campaignId });
    expect(after.byToken[0]?.rewardLedger).toMatchObject({
      ...{ available: '0', surplusWithdrawn: '700000' },
    });
    expect(after.actions).toEqual({
      ...{ finalize: null, finalizeSaleIds: [], claimProceeds: null, withdrawSurplus: null },
    });
  });
});

function lower(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
