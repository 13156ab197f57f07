import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createClient } from '../../../engine/client/index.ts';
import { duration, groupDigits, percent } from '../../../web/src/format.ts';

type Client = ReturnType<typeof createClient>;
type Link = Awaited<ReturnType<Client['links']['get']>>['data'];

/** A link of an active campaign of the sample that has a scheduled policy; of one of these owners, if they are given. */
export async function scheduledLink(baseUrl: string, owners?: readonly string[]): Promise<Link> {
  const api = createClient({ baseUrl });
  const known = owners?.map((owner) => owner.toLowerCase());
  for await (const { campaignId } of api.pages(api.campaigns.list, { status: 'active' })) {
    const { data: policy } = await api.campaigns.policy({ campaignId });
    if (policy.scheduled.length === 0) continue;
    for await (const node of api.pages(api.graph.forCampaign, { campaignId, limit: 100 })) {
      if (known && !known.includes(node.owner)) continue;
      return (await api.links.get({ nodeId: node.nodeId })).data;
    }
  }
  throw new Error('the sample has no link with a scheduled policy');
}

/** Expects that a page shows the remaining budget of a link's campaign, and its next policy. */
export async function seeOutlook(page: Page, { campaign }: Link): Promise<void> {
  const { nextPolicy, salesCovered, rewardAvailable } = campaign;
  if (nextPolicy === null || salesCovered === null) throw new Error('the campaign has no outlook');
  const left = page.locator('dt:text-is("Budget left") + dd data').first();
  await left.waitFor();
  expect(await left.getAttribute('value')).toBe(rewardAvailable);
  const covered = await page.locator('dt:text-is("It covers") + dd').first().textContent();
  expect(covered).toBe(`${groupDigits(salesCovered)} more sales`);
  const change = page.getByRole('note', { name: 'New terms' });
  expect(await change.locator('time').getAttribute('datetime')).toBe(nextPolicy.effectiveAt);
  const text = await change.textContent();
  expect(text).toContain(`${percent(nextPolicy.commissionBps)} commission`);
  expect(text).toContain(`${nextPolicy.maxRewardedAncestors} levels`);
  expect(text).toContain(`held for ${duration(nextPolicy.holdSeconds)}`);
}
