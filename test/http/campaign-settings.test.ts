import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const ACME = account(1_000);
const OTHER = account(1_001);

/** Campaigns 1 and 3 of the small history are Acme's, 2 is another's. */
describe('a merchant’s own campaigns', () => {
  let fixture: ApiFixture;
  let acme: Client;
  let visitor: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    acme = await fixture.clientAs(ACME);
    visitor = fixture.client();
  });
  afterAll(() => fixture.close());

  const ids = (items: readonly { campaignId: string }[]) => items.map((one) => one.campaignId);

  async function mine(query: Parameters<Client['campaigns']['mine']>[0] = {}) {
    const { items } = (await acme.campaigns.mine(query)).data;
    return items.map(({ campaign, draft }) => campaign?.campaignId ?? draft?.id);
  }

  it('lists a merchant’s drafts, then its campaigns, newest first, with totals and settings', async () => {
    await acme.campaigns.saveDraft({ id: 'older', draft: { version: 0 } });
    await acme.campaigns.saveDraft({ id: 'newer', draft: { version: 0 } });
    expect(await mine()).toEqual(['newer', 'older', '3', '1']);
    expect(await mine({ kind: 'draft' })).toEqual(['newer', 'older']);
    expect(await mine({ kind: 'campaign' })).toEqual(['3', '1']);
    expect(await mine({ status: 'active' })).toEqual(['3', '1']);
    expect(await mine({ status: 'ended' })).toEqual([]);
    const [first] = (await acme.campaigns.mine({ kind: 'campaign', limit: 1 })).data.items;
    expect(first).toMatchObject({
      kind: 'campaign',
      state: 'FUNDED_ACTIVE',
      draft: null,
      campaign: { campaignId: '3' },
      counts: { pending: 1, finalized: 0, refunded: 0 },
      settings: {
        campaignId: '3',
        name: null,
        note: null,
        listed: true,
        oneSignature: false,
        updatedAt: null,
      },
    });
    const other = await fixture.clientAs(OTHER);
    const { items } = (await other.campaigns.mine()).data;
    expect(items.map(({ campaign }) => campaign?.campaignId)).toEqual(['2']);
  });

  it('pages through a merchant’s drafts and campaigns, wherever a page ends', async () => {
    for (const limit of [1, 2, 3]) {
      const all = [];
      for await (const one of acme.pages(acme.campaigns.mine, { limit })) all.push(one);
      const names = all.map(({ campaign, draft }) => campaign?.campaignId ?? draft?.id);
      expect(names, `limit ${limit}`).toEqual(['newer', 'older', '3', '1']);
    }
    const { nextCursor } = (await acme.campaigns.mine({ limit: 1 })).data;
    const other = await fixture.clientAs(OTHER);
    await expect(
      other.campaigns.mine({ limit: 1, cursor: nextCursor ?? '' }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('changes the settings of a merchant’s campaigns one by one, and rejects changes by others', async () => {
    const { data: named } = await acme.campaigns.updateSettings({
      campaignId: '1',
      name: 'Spring',
    });
    expect(named).toMatchObject({ name: 'Spring', note: null, listed: true });
    const change = { campaignId: '1', note: 'Ask Bo.' };
    expect((await acme.campaigns.updateSettings(change)).data).toMatchObject({
      name: 'Spring',
      note: 'Ask Bo.',
    });
    const emptied = await acme.campaigns.updateSettings({ campaignId: '1', name: null });
    expect(emptied.data).toMatchObject({ name: null, note: 'Ask Bo.', listed: true });
    for (const [campaignId, status] of [
      ['2', 403],
      ['99', 404],
      ['demo-x', 404],
    ] as const) {
      await expect(
        acme.campaigns.updateSettings({ campaignId, listed: false }),
      ).rejects.toMatchObject({ status });
    }
    expect(ids((await visitor.campaigns.list()).data.items)).toContain('2');
  });

  it('removes an unlisted campaign from every list, and still serves it by its id', async () => {
    const lists = async () => ({
      campaigns: ids((await visitor.campaigns.list({ sort: 'newest' })).data.items),
      total: (await visitor.campaigns.list()).data.total,
      offers: ids((await visitor.merchants.offers({ slug: 'acme' })).data.items),
      live: (await visitor.merchants.get({ slug: 'acme' })).data.liveCampaignCount,
      categories: (await visitor.products.categories()).data.items
        .map(({ category }) => category)
        .sort(),
      sold: ids((await visitor.receipts.recent()).data.items),
    });
    const before = await lists();
    expect(before.campaigns).toEqual(['3', '2', '1']);
    expect(before.categories).toEqual(['food', 'other']);
    expect(before.sold).toEqual(['3', '2', '1', '1', '1']);

    await acme.campaigns.updateSettings({ campaignId: '1', listed: false });
    expect(await lists()).toEqual({
      campaigns: ['3', '2'],
      total: 2,
      offers: ['3'],
      live: before.live - 1,
      categories: ['other'],
      sold: ['3', '2'],
    });
    const { data: campaign } = await visitor.campaigns.get({ campaignId: '1' });
    expect(campaign.moderation).toEqual({ hidden: false, reason: null });
    expect((await visitor.receipts.forCampaign({ campaignId: '1' })).data.items).toHaveLength(3);
    expect(await mine({ kind: 'campaign' })).toEqual(['3', '1']);

    await acme.campaigns.updateSettings({ campaignId: '1', listed: true });
    expect(await lists()).toEqual(before);
  });

  it('ignores settings that another merchant once stored for a campaign’s id', async () => {
    await fixture.pool`
      insert into commerce.campaign_settings (campaign_id, merchant, listed)
      values (3, ${OTHER}, false)`;
    expect(ids((await visitor.campaigns.list()).data.items)).toContain('3');
  });

  it('changes nothing if the settings are saved with the same values', async () => {
    const other = await fixture.clientAs(OTHER);
    const save = async (
      change: Omit<Parameters<Client['campaigns']['updateSettings']>[0], 'campaignId'>,
    ) => (await other.campaigns.updateSettings({ campaignId: '2', ...change })).data;
    const defaults = { name: null, note: null, listed: true, oneSignature: false };
    const never = { campaignId: '2', ...defaults, updatedAt: null };
    expect(await save({ listed: true })).toEqual(never);
    expect(await save({ name: null, note: null })).toEqual(never);
    expect(await save({ oneSignature: false })).toEqual(never);
    const changed = await save({ name: 'Two', note: 'A note' });
    expect(changed).toMatchObject({ name: 'Two', note: 'A note', listed: true });
    await fixture.pool`
      update commerce.campaign_settings set updated_at = '2020-01-01T00:00:00Z'
      where campaign_id = 2`;
    const same = { ...changed, updatedAt: '2020-01-01T00:00:00.000Z' };
    for (const change of [{ name: 'Two' }, { note: 'A note', listed: true }]) {
      expect(await save(change)).toEqual(same);
    }
    const emptied = await save({ note: null });
    expect(emptied).toMatchObject({ name: 'Two', note: null, listed: true });
    expect(emptied.updatedAt).not.toBe(same.updatedAt);
    expect(await save({ oneSignature: true })).toMatchObject({ name: 'Two', oneSignature: true });
    expect(await save({ listed: true })).toMatchObject({ name: 'Two', oneSignature: true });
  });
});
