import { listPartners } from '../../../db/read/partners/list.ts';
import { allowedAmong } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignDistributor } from '../../render/partner.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { openPartnerPage } from '../../resources/partners/partner-cursor.ts';
import { pseudonymOf } from '../../resources/partners/pseudonym.ts';

/** Sort key of each value of `sort`. */
const sorts = { newest: 'lastLink', sales: 'sales', rewards: 'rewards' } as const;

/** `campaigns.distributors`: owners of links in a campaign of the caller. */
export const distributors: Handler<'campaigns.distributors'> = async (
  input,
  deps,
  { merchant },
) => {
  const { q, sort = 'newest' } = input;
  // The account is part of the scope: a cursor of one account is not valid for another.
  const page = openPartnerPage(deps.keys, 'campaigns.distributors', { ...input, merchant });
  const { after, secret, limit } = page;
  return await readLedger(deps.pool, async (snapshot) => {
    const campaign = await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const { campaignId, token } = campaign;
    const { items, next } = await listPartners(
      snapshot,
      { merchant, campaignId, token },
      { q, after, secret, sort: sorts[sort], limit },
    );
    const accounts = items.map(({ account }) => account);
    const allowed = campaign.inviteOnly
      ? await allowedAmong(snapshot, campaign, accounts)
      : undefined;
    return {
      data: {
        items: items.map((one) =>
          campaignDistributor(one, allowed?.has(one.account) ?? null, (account) =>
            pseudonymOf(deps.keys, merchant, account),
          ),
        ),
        nextCursor: page.cursor(next),
      },
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaign.campaignId),
    };
  });
};
