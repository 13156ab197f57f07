import { waitingPolicies } from '../../../db/read/campaigns/waiting-policies.ts';
import { earningsOfCampaigns } from '../../../db/read/earnings/balances.ts';
import { ownNodes } from '../../../db/read/graph/own-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { ownLink } from '../../render/own-link.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const position = { nodeId: cursorId, campaignId: cursorId };

/** `links.mine`: the caller's nodes, newest first, with fields that only the owner sees. */
export const mine: Handler<'links.mine'> = async (input, deps, { account }) => {
  const { pool, deployment } = deps;
  const campaignId = campaignFilter(input.campaignId);
  const list = new ListPage('links.mine', input, position);
  return await readLedger(pool, async (snapshot) => {
    const found = await ownNodes(snapshot, { account, campaignId }, list.query);
    const campaignIds = [...new Set(found.map((node) => node.campaignId))];
    const earned = await earningsOfCampaigns(snapshot, { account, campaignIds });
    const rows = found.flatMap((node) => {
      const rewards = earned.get(node.campaignId)?.rewards;
      return rewards ? [{ campaignId: node.campaignId, node, rewards }] : [];
    });
    const page = await earnedPage(
      snapshot,
      list.of(rows, ({ node }) => node),
      (row, campaign) => ({ ...row, campaign }),
    );
    const waiting = await waitingPolicies(
      snapshot,
      page.items.map(({ campaign }) => campaign),
    );
    const items = page.items.map(({ campaign, node, rewards }) =>
      ownLink(deployment, campaign, waiting.get(campaign.campaignId) ?? [], node, rewards),
    );
    return {
      data: { items, nextCursor: page.nextCursor },
      chain: chainMeta(deployment, snapshot.head),
    };
  });
};
