import { listPartners } from '../../../db/read/list-partners.ts';
import { allowedAmong } from '../../../db/read/partner-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { readOwnCampaign } from '../../own-campaign.ts';
import { partnerCursor, partnerPageStart } from '../../partner-place.ts';
import { campaignDistributor } from '../../render/partner.ts';

const METHOD = 'campaigns.distributors';

/** The words of `sort`, and what each goes by. */
const sorts = { newest: 'lastLink', sales: 'sales', rewards: 'rewards' } as const;

/** `campaigns.distributors`: who has links in a campaign of the caller's. */
export const distributors: Handler<'campaigns.distributors'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, q, sort = 'newest' } = input;
  const { address: merchant } = session;
  // The list of one account is another list than that of another.
  const scope = { method: METHOD, input: { ...input, account: merchant } };
  const start = partnerPageStart(deps.keys, scope);
  return await readLedger(deps.pool, async (snapshot) => {
    const campaign = await readOwnCampaign(snapshot, input.campaignId, merchant);
    const { campaignId, token } = campaign;
    const { items, next } = await listPartners(
      snapshot,
      { merchant, campaignId, token },
      { q, ...start, sort: sorts[sort], limit },
    );
    const accounts = items.map(({ account }) => account);
    const allowed = campaign.inviteOnly
      ? await allowedAmong(snapshot, campaign, accounts)
      : undefined;
    return {
      data: {
        items: items.map((one) => campaignDistributor(one, allowed?.has(one.account) ?? null)),
        nextCursor: partnerCursor(scope, start, next),
      },
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};
