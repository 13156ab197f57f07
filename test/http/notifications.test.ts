import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { finishReport, takeReport } from '../../engine/db/commerce/report-jobs.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { ApiFixture, CHAIN_ID, clientWithoutSales } from './support/api-fixture.ts';
import { earnersOf } from './support/earners-of.ts';
import { HistoryBuilder } from './support/facts.ts';
import { slower } from './support/slower.ts';
import { saveProfiles } from './support/small-history.ts';

const MERCHANT = account(1_000);
const BUYER = account(500);
const DAY = 86_400;

type Query = Parameters<Client['notifications']['list']>[0];
type Item = Awaited<ReturnType<Client['notifications']['list']>>['data']['items'][number];

/** All notifications that a query selects, read in pages of `limit`. */
async function all(client: Client, query: Query = {}, limit = 100): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of client.pages(client.notifications.list, { ...query, limit })) {
    found.push(item);
  }
  return found;
}

/** The fields that say something. */
function withoutNulls(item: Item | undefined) {
  return Object.fromEntries(Object.entries(item ?? {}).filter(([, value]) => value !== null));
}

describe('notifications.list', () => {
  const history = new HistoryBuilder();
  let fixture: ApiFixture;
  let indexed = 0;
  /** Milliseconds of the service's clock, which follows the chain's. */
  let now = 0;

  beforeAll(async () => {
    fixture = await ApiFixture.open({ client: clientWithoutSales, clock: () => now });
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  async function settle(seconds = 12): Promise<void> {
    const facts = history.facts.slice(indexed);
    indexed = history.facts.length;
    await fixture.settle(facts);
    now = history.time * 1_000 + 500;
    history.nextBlock(seconds);
  }

  function vest(campaignId: string, saleId: string, nodeId: string, amount: bigint): void {
    history.reward(campaignId, 'RewardVested', { saleId, level: 1, nodeId, amount });
    history.finalize(campaignId, saleId);
  }

  it('returns one item for the rewards of a campaign and day, whatever the number of sales', async () => {
    history.create('1');
    history.schedule('1');
    history.fund('1', 10_000_000n);
    history.join('1', '1');
    for (const saleId of ['1', '2', '3', '4']) {
      history.sell('1', saleId, { nodeId: '1', pool: 100_000n, shares: [100_000n] });
    }
    // Campaign 2 expires on the next day.
    const endsAt = history.time + DAY + 100;
    const attested = { merchant: account(1_001), trustMode: 'MERCHANT_ATTESTED' } as const;
    history.create('2', { ...attested, endsAt });
    history.schedule('2');
    history.fund('2', 10_000_000n);
    const args = { nodeId: '2', parentNodeId: '0', owner: account(11) };
    history.add('2', { name: 'NodeJoined', args });
    history.sell('2', '5', { nodeId: '2', pool: 100_000n, shares: [100_000n] });
    await settle(700);
    vest('1', '1', '1', 100_000n);
    await settle();
    vest('1', '2', '1', 100_000n);
    const second = { block: history.block, at: new Date(history.time * 1_000).toISOString() };
    await settle(DAY);
    const day = second.at.slice(0, 10);
    const distributor = await fixture.clientAs(account(11));
    const items = await all(distributor, { kind: 'rewards_claimable' });
    expect(items.map(withoutNulls)).toEqual([
      {
        id: `rewards_claimable-1-${day.replaceAll('-', '')}`,
        kind: 'rewards_claimable',
        ...{ at: second.at, blockNumber: String(second.block), finality: 'pending', day },
        ...{ campaignId: '1', amount: '200000' },
        token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
      },
    ]);
    vest('1', '3', '1', 100_000n);
    const release = { saleId: '4', level: 1, nodeId: '1', amount: 40_000n };
    history.reward('1', 'RewardReleased', release);
    const refund = { buyer: BUYER, reasonHash: hash('reason') };
    history.add('1', {
      name: 'SaleRefunded',
      args: { saleId: '4', amount: 400_000n, refundedTotal: 400_000n, ...refund },
    });
    const of = { saleId: '5', level: 1, nodeId: '2', recipient: account(11), amount: 100_000n };
    history.add('2', { name: 'RewardVested', args: of });
    history.finalize('2', '5');
    history.add('2', { name: 'RewardReversed', args: of });
    history.add('2', {
      name: 'SaleReversed',
      args: { saleId: '5', reasonHash: hash('reversal') },
    });
    await settle();
    // A day later, the session has ended.
    const later = await fixture.clientAs(account(11));
    const rewards = (await all(later)).filter(({ kind }) => kind.startsWith('rewards_'));
    expect(rewards.map(({ kind, campaignId, amount }) => [kind, campaignId, amount])).toEqual([
      ['rewards_reversed', '2', '100000'],
      ['rewards_refunded', '1', '40000'],
      ['rewards_claimable', '2', '100000'],
      ['rewards_claimable', '1', '100000'],
      ['rewards_claimable', '1', '200000'],
    ]);
    expect(new Set(rewards.map(({ id }) => id)).size).toBe(5);
  });

  it('returns what happened to a campaign after the account joined it', async () => {
    const before = await fixture.clientAs(account(11));
    const effectiveAt = history.time + 7_200;
    history.schedule('1', {}, { version: 2, effectiveAt });
    await settle();
    history.join('1', '8');
    history.add('1', { name: 'CampaignPaused', args: {} });
    await settle();
    history.add('1', { name: 'CampaignResumed', args: {} });
    history.add('1', { name: 'CampaignPaused', args: {} });
    await settle();
    history.add('1', { name: 'CampaignEnded', args: {} });
    const ended = history.block;
    await settle();
    const kinds = async (client: Client) =>
      (await all(client)).map(({ kind }) => kind).filter((kind) => !kind.startsWith('rewards'));
    const stops = ['campaign_ended', 'campaign_paused', 'campaign_resumed', 'campaign_paused'];
    expect(await kinds(before)).toEqual([...stops, 'policy_scheduled', 'campaign_expired']);
    expect(await kinds(await fixture.clientAs(account(18)))).toEqual(stops);
    expect(await kinds(await fixture.clientAs(account(19)))).toEqual([]);
    const [policy] = await all(before, { kind: 'policy_scheduled' });
    expect(policy).toMatchObject({
      ...{ campaignId: '1', policyVersion: 2, finality: 'pending', amount: null },
      effectiveAt: new Date(effectiveAt * 1_000).toISOString(),
    });
    const [expired] = await all(before, { kind: 'campaign_expired' });
    expect(expired).toMatchObject({ campaignId: '2', blockNumber: null, finality: null });
    const [end] = await all(before, { kind: 'campaign_ended' });
    expect(end).toMatchObject({ blockNumber: String(ended), campaignId: '1' });
    // One at a time, across events of one block.
    expect(await all(before, { kind: 'campaign_paused' }, 1)).toEqual(
      await all(before, { kind: 'campaign_paused' }),
    );
  });

  it('returns invitations for the distributor, and their answers for the merchant', async () => {
    const merchant = await fixture.clientAs(MERCHANT);
    const invited = await fixture.clientAs(account(30));
    history.create('3');
    history.schedule('3');
    history.fund('3', 10_000_000n);
    await settle();
    const { data } = await merchant.invitations.send({
      ...{ distributor: account(30), campaignId: '3', message: 'Come.', terms: 'None.' },
      expiresAt: new Date(now + 3_600_000).toISOString(),
    });
    expect((await all(invited)).map(withoutNulls)).toEqual([
      {
        ...{ id: `invitation_received-${data.id}`, kind: 'invitation_received' },
        ...{ at: new Date(now).toISOString(), campaignId: '3', invitationId: data.id },
      },
    ]);
    expect(await all(merchant)).toEqual([]);
    now += 1_000;
    await invited.invitations.respond({ id: data.id, response: 'decline', reason: 'No.' });
    expect((await all(merchant)).map(withoutNulls)).toEqual([
      {
        ...{ id: `invitation_answered-${data.id}`, kind: 'invitation_answered' },
        ...{ at: new Date(now).toISOString(), campaignId: '3', invitationId: data.id },
        answer: 'declined',
      },
    ]);
  });

  it('returns refund requests for the merchant, and answers and refunds for the buyer', async () => {
    const [merchant, buyer] = [await fixture.clientAs(MERCHANT), await fixture.clientAs(BUYER)];
    history.sell('3', '9', { pool: 0n, shares: [] });
    await settle();
    const { data: opened } = await buyer.disputes.open({
      ...{ chainId: CHAIN_ID, saleId: '9', reason: 'other', message: 'Please.', amount: '600000' },
    });
    const about = { disputeId: opened.id, saleId: '9', campaignId: '3' };
    const [requested] = await all(merchant);
    expect(requested).toMatchObject({ kind: 'refund_requested', amount: '600000', ...about });
    expect(await all(buyer)).toEqual([]);
    now += 1_000;
    const { id } = opened;
    await merchant.disputes.respond({ id, response: 'accept', amount: '500000' });
    const answeredAt = new Date(now).toISOString();
    now += 1_000;
    // A message changes nothing of it.
    await buyer.disputes.respond({ id, response: 'message', message: 'Thank you.' });
    expect(await all(buyer)).toMatchObject([
      { kind: 'refund_answered', answer: 'accepted', at: answeredAt, amount: '500000', ...about },
    ]);
    const refund = { buyer: BUYER, reasonHash: hash('reason') };
    const part = { saleId: '9', amount: 200_000n, refundedTotal: 200_000n, ...refund };
    history.add('3', { name: 'SaleRefunded', args: part });
    await settle();
    expect((await all(buyer)).map(({ kind }) => kind)).toEqual(['refund_answered']);
    const rest = { saleId: '9', amount: 300_000n, refundedTotal: 500_000n, ...refund };
    history.add('3', { name: 'SaleRefunded', args: rest });
    const paid = String(history.block);
    await settle();
    const [refunded] = await all(buyer, { kind: 'refund_paid' });
    expect(refunded).toMatchObject({ amount: '500000', blockNumber: paid, ...about });
    expect(await all(await fixture.clientAs(account(501)))).toEqual([]);
  });

  it('returns reports of the merchant that are ready, also after their files expired', async () => {
    const merchant = await fixture.clientAs(MERCHANT);
    const { data } = await merchant.reports.export({ kind: 'missed', format: 'csv' });
    expect(await all(merchant, { kind: 'report_ready' })).toEqual([]);
    const { pool } = fixture;
    const taken = await takeReport(pool, data.id, new Date(now), 30);
    if (taken === undefined) throw new Error('The report waits to be made.');
    const file = { rows: 0, size: 1, sha256: 'a'.repeat(64), fileKey: 'x', blockNumber: 1 };
    await finishReport(pool, taken, file, { now: new Date(now), keepSeconds: 60 });
    const ready = { id: `report_ready-${data.id}`, reportId: data.id, campaignId: null };
    expect(await all(merchant, { kind: 'report_ready' })).toMatchObject([ready]);
    await pool`update commerce.report set status = 'expired' where id = ${data.id}`;
    expect(await all(merchant, { kind: 'report_ready' })).toMatchObject([ready]);
  });

  it('merges all kinds newest first, page by page, from a time on, and for 90 days', async () => {
    for (const reader of [MERCHANT, BUYER, account(11), account(30)]) {
      const client = await fixture.clientAs(reader);
      const items = await all(client);
      expect(items.length).toBeGreaterThan(0);
      const keys = items.map(({ at, id }) => `${at} ${id}`);
      expect(keys).toEqual([...keys].sort().reverse());
      expect(await all(client, {}, 1)).toEqual(items);
      for (const { kind } of items) {
        const own = items.filter((item) => item.kind === kind);
        expect(await all(client, { kind }, 1)).toEqual(own);
      }
      const since = items[Math.floor(items.length / 2)]?.at ?? '';
      const recent = items.filter(({ at }) => at >= since);
      expect(await all(client, { since })).toEqual(recent);
      expect(await all(client, { since: '2100-01-01T00:00:00Z' })).toEqual([]);
    }
    const distributor = await fixture.clientAs(account(11));
    const page = await distributor.notifications.list({ limit: 1 });
    const cursor = page.data.nextCursor ?? '';
    const stranger = await fixture.clientAs(account(12));
    await expect(stranger.notifications.list({ cursor })).rejects.toMatchObject({ status: 400 });
    const before = now;
    now += 91 * DAY * 1_000;
    const merchant = await fixture.clientAs(MERCHANT);
    expect(await all(merchant)).toEqual([]);
    now = before;
  });
});

describe('notifications.list over a random history', () => {
  const facts = slower(randomHistory({ seed: 4, steps: 600, campaigns: 3 }), 150);
  const earners = earnersOf(facts, 4);
  const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
  const movements = {
    rewards_claimable: 'vested',
    rewards_refunded: 'refunded',
    rewards_reversed: 'reversed',
  } as const;
  let api: ApiFixture;
  let fixture: SettleFixture;

  beforeAll(async () => {
    api = await ApiFixture.open();
    fixture = new SettleFixture(api.pool);
    await fixture.index(facts);
    await fixture.settle();
  });
  afterAll(() => api.close());

  it('returns the amounts of the statement of each campaign and day', async () => {
    let compared = 0;
    for (const earner of earners) {
      const client = await api.clientAs(earner);
      const items = await all(client, {}, 7);
      for (const [kind, movement] of Object.entries(movements)) {
        const expected: (string | null)[][] = [];
        for (const campaignId of ['1', '2', '3']) {
          const from = new Date((facts[0]?.timestamp ?? 0) * 1_000).toISOString();
          const to = new Date((facts.at(-1)?.timestamp ?? 0) * 1_000 + 1_000).toISOString();
          const input = { interval: 'day', campaignId, range: { from, to } } as const;
          const { data } = await client.statements.earnings(input);
          for (const period of data.byToken[0]?.periods ?? []) {
            const amount = period.movements[movement];
            if (amount !== '0') expected.push([campaignId, period.from.slice(0, 10), amount]);
          }
        }
        const found = items.filter((item) => item.kind === kind);
        const lines = found.map(({ campaignId, day, amount }) => [campaignId, day, amount]);
        expect(lines.sort()).toEqual(expected.sort());
        compared += lines.length;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('drops the items whose events a reorg removes', async () => {
    const forkBlock = blocks.at(-60) ?? 0;
    const [earner = account(0)] = earners;
    const client = await api.clientAs(earner);
    const before = await all(client);
    expect(before.some(({ blockNumber }) => Number(blockNumber) >= forkBlock)).toBe(true);
    // The other fork has a deposit in its only block.
    const deposit = {
      ...{ campaignId: '1', name: 'CampaignFunded' as const, blockNumber: forkBlock },
      args: { account: MERCHANT, amount: 1n },
    };
    const [first] = facts.filter(({ blockNumber }) => blockNumber >= forkBlock);
    if (first === undefined) throw new Error('the history has the block');
    const { id, timestamp, transactionHash } = first;
    const place = { id, timestamp, transactionHash, logIndex: 0 };
    await fixture.index([{ ...deposit, ...place, blockHash: hash(`fork ${forkBlock}`) }]);
    await fixture.settle();
    await fixture.tick();
    const after = await all(client);
    const fresh = await ApiFixture.open();
    const belowFork = facts.filter(({ blockNumber }) => blockNumber < forkBlock);
    await fresh.settle([
      ...belowFork,
      { ...deposit, ...place, blockHash: hash(`fork ${forkBlock}`) },
    ]);
    expect(after).toEqual(await all(await fresh.clientAs(earner)));
    expect(after).not.toEqual(before);
    await fresh.close();
  });
});
