import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { moderate } from './support/moderate.ts';

const CLOSED = account(1_001);
const MERCHANT = account(1_000);

/** Campaigns by id, and the reason for which each takes no sales; node n is of campaign n. */
const expected: Readonly<Record<string, string | null>> = {
  '1': null,
  '2': 'sold_out',
  '3': 'paused',
  '4': null,
  '5': 'hidden',
  '6': 'merchant_closed',
  '7': 'not_started',
  '8': 'not_funded',
  '9': 'ended',
  '10': 'expired',
  '11': null,
};

function historyOf(): HistoryBuilder {
  const history = new HistoryBuilder();
  const later = history.time + 10_000;
  const changes: Readonly<Record<string, Parameters<HistoryBuilder['create']>[1]>> = {
    '2': { saleCapacity: 2 },
    '4': { trustMode: 'MERCHANT_ATTESTED' },
    '6': { merchant: CLOSED },
    '7': { startsAt: later },
    '10': { endsAt: history.time + 60 },
    '11': { saleCapacity: 2 },
  };
  for (const id of Object.keys(expected)) {
    history.create(id, changes[id]);
    history.schedule(id);
    if (id !== '8') history.fund(id, 1_000_000n);
    history.join(id, id);
  }
  history.add('3', { name: 'CampaignPaused', args: {} });
  history.add('9', { name: 'CampaignEnded', args: {} });
  history.sell('2', '1', { pool: 0n, shares: [] });
  history.sell('2', '2', { pool: 0n, shares: [] });
  history.sell('11', '3', { pool: 0n, shares: [] });
  history.nextBlock(100);
  // The version of campaign 1 that takes effect next, and one that is scheduled for later.
  const next = { commissionBps: 2_000, maxRewardedAncestors: 1, weightsBps: [10_000] };
  history.schedule('1', { holdSeconds: 60 }, { version: 2, effectiveAt: later });
  history.schedule('1', next, { version: 3, effectiveAt: history.time + 3_600 });
  return history;
}

describe('whether a campaign takes sales', () => {
  let fixture: ApiFixture;
  const history = historyOf();

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    await saveMerchant(fixture.pool, { id: 'm', address: CLOSED, slug: 'closed', name: 'Closed' });
    await fixture.pool`update commerce.merchant set closed_at = now() where id = 'm'`;
    await moderate(fixture.pool, 'hide', '5');
  });
  afterAll(() => fixture.close());

  it.each(Object.entries(expected))(
    'applies one rule in links, previews and lists to campaign %s',
    async (campaignId, reason) => {
      const client = fixture.client();
      const code = encodeReferralCode(campaignId) ?? '';
      const { data: referral } = await client.referrals.get({ code });
      expect(referral).toMatchObject({ open: reason === null, closedReason: reason });
      const { data: preview } = await client.checkout.preview({ campaignId });
      const refusals = preview.refusals.map((one) => one.code.toLowerCase());
      const elsewhere = campaignId === '4' ? ['paid_elsewhere'] : [];
      expect(refusals).toEqual([...elsewhere, ...(reason === null ? [] : [reason])]);
      const { data: active } = await client.campaigns.list({ status: 'active', limit: 100 });
      const listed = active.items.some((one) => one.campaignId === campaignId);
      expect(listed).toBe(reason === null);
    },
  );

  it('lists each campaign under exactly one status', async () => {
    const statuses = ['active', 'not_live', 'paused', 'ended', 'expired'] as const;
    const client = await fixture.clientAs(MERCHANT);
    const found = [];
    for (const status of statuses) {
      const { data } = await client.campaigns.mine({ status, kind: 'campaign', limit: 100 });
      found.push(...data.items.map(({ campaign }) => [status, campaign?.campaignId]));
    }
    expect(found).toEqual([
      ...[
        ['active', '11'],
        ['active', '4'],
        ['active', '1'],
      ],
      ...[
        ['not_live', '8'],
        ['not_live', '7'],
        ['not_live', '5'],
        ['not_live', '2'],
      ],
      ...[
        ['paused', '3'],
        ['ended', '9'],
        ['expired', '10'],
      ],
    ]);
  });

  it('shows what is left in the vault, and the policy that comes next, before one joins', async () => {
    const effectiveAt = new Date((history.time + 3_600) * 1_000).toISOString();
    const terms = {
      ...{ version: 3, effectiveAt },
      ...{ commissionBps: 2_000, maxRewardedAncestors: 1, holdSeconds: 600 },
      excludesSelfReferral: false,
    };
    const client = await fixture.clientAs(account(11));
    const { data: link } = await client.links.get({ nodeId: '1' });
    expect(link.campaign).toMatchObject({
      ...{ rewardAvailable: '1000000', salesCovered: '10', nextPolicy: terms },
    });
    const { data: own } = await client.links.mine();
    expect(own.items.map(({ campaign }) => campaign)).toEqual([link.campaign]);
    const { data: referral } = await client.referrals.get({ code: link.code ?? '' });
    expect(referral.link).toEqual(link);
    const { data: preview } = await client.checkout.preview({ campaignId: '1' });
    expect(preview.nextPolicy).toEqual(terms);
    const { data: join } = await client.links.joinPreview({ campaignId: '1', parentNodeId: '1' });
    expect(join.campaign).toEqual(link.campaign);
    expect(join.parent?.campaign).toEqual(link.campaign);
    expect(join.levels.map((level) => level.exampleReward)).toEqual(['62500', '37500']);
    expect(join.nextLevels).toEqual([{ level: 1, weightBps: 10_000, exampleReward: '200000' }]);
    const { data: without } = await client.links.joinPreview({ campaignId: '11' });
    expect(without).toMatchObject({ nextLevels: null, campaign: { nextPolicy: null } });
  });
});
