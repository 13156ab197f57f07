import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../support/history.ts';
import { ApiFixture, OPERATOR } from './support/api-fixture.ts';
import { smallHistory } from './support/small-history.ts';

describe('moderation', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(async () => {
    await fixture.close();
  });

  it('removes a campaign from the lists and restores it, and records every decision', async () => {
    const operator = await fixture.clientAs(OPERATOR);
    const listed = async () =>
      (await fixture.client().campaigns.list()).data.items.map(({ campaignId }) => campaignId);
    expect(await listed()).toContain('1');

    const { data: first } = await operator.moderation.hide({ campaignId: '1', reason: 'A fake.' });
    expect(first).toMatchObject({ campaignId: '1', action: 'hide', operator: OPERATOR });
    expect(await listed()).not.toContain('1');
    const { data: campaign } = await fixture.client().campaigns.get({ campaignId: '1' });
    expect(campaign.moderation).toEqual({ hidden: true, reason: 'A fake.' });

    await operator.moderation.hide({ campaignId: '1', reason: 'A fake, we are sure.' });
    await operator.moderation.unhide({ campaignId: '1', reason: 'It was a namesake.' });
    expect(await listed()).toContain('1');
    await expect(
      operator.moderation.unhide({ campaignId: '1', reason: 'Again.' }),
    ).rejects.toMatchObject({ code: 'CONFLICT' });

    const call = operator.moderation.log;
    const log = [];
    for await (const one of operator.pages(call, { campaignId: '1', limit: 1 })) log.push(one);
    expect(log.map(({ action, reason }) => [action, reason])).toEqual([
      ['unhide', 'It was a namesake.'],
      ['hide', 'A fake, we are sure.'],
      ['hide', 'A fake.'],
    ]);
    expect((await call({ campaignId: '2' })).data.items).toEqual([]);
    expect((await call({ campaignId: 'demo-x' })).data.items).toEqual([]);
  });

  it('allows moderation only by operators, and only of existing campaigns', async () => {
    const stranger = await fixture.clientAs(account(11));
    const input = { campaignId: '1', reason: 'I do not like it.' };
    await expect(stranger.moderation.hide(input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(stranger.moderation.unhide(input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(stranger.moderation.log()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const operator = await fixture.clientAs(OPERATOR);
    await expect(
      operator.moderation.hide({ campaignId: '999', reason: 'Gone.' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(operator.moderation.hide({ campaignId: '1', reason: '' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: 'reason' }],
    });
  });
});
