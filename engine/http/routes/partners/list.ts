import { reportPartners } from '../../../db/read/partners/list.ts';
import { rankedTotals } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { mostSettledToken } from '../../../db/read/tokens.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { oneOf } from '../../input/one-of.ts';
import { partner, partnerSummary } from '../../render/partner.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';
import { hasRanking } from '../../resources/distributors/ranking.ts';
import { openPartnerPage } from '../../resources/partners/partner-cursor.ts';
import { pseudonymOf } from '../../resources/partners/pseudonym.ts';

/** Sort key of each value of `sort`. */
const sorts = {
  sales: 'sales',
  value: 'value',
  rewards: 'rewards',
  newest: 'firstLink',
} as const;
const sortWords = ['sales', 'value', 'rewards', 'newest'] as const;

/** `partners.list`: owners of links in the caller's campaigns, with their results. */
export const list: Handler<'partners.list'> = async (input, deps, { merchant }) => {
  const status = oneOf('status', input.status, ['active', 'inactive']);
  const sort = sorts[oneOf('sort', input.sort, sortWords) ?? 'sales'];
  const filters = { q: input.q, active: status && status === 'active' };
  // The account is part of the scope: a cursor of one account is not valid for another.
  const page = openPartnerPage(deps.keys, 'partners.list', { ...input, merchant });
  const { after, secret, limit } = page;
  const ranked = await hasRanking(deps);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head, sql } = snapshot;
    const campaign =
      input.campaignId === undefined
        ? undefined
        : await requireOwnCampaign(snapshot, input.campaignId, merchant);
    const campaignIds = campaign && [campaign.campaignId];
    const tokens = await mostSettledToken(snapshot, { merchant, campaignIds });
    const token = tokens?.token.address ?? null;
    const whose = { merchant, campaignId: campaign?.campaignId, token };
    const query = { ...filters, after, secret, sort, limit };
    const { items, next, ...totals } = await reportPartners(snapshot, whose, query);
    const shown = ranked ? items.map(({ account }) => account) : [];
    const records = await rankedTotals(sql, shown);
    return {
      data: {
        items: items.map((one) =>
          partner(one, records.get(one.account), head.timestamp, (account) =>
            pseudonymOf(deps.keys, merchant, account),
          ),
        ),
        nextCursor: page.cursor(next),
        summary: partnerSummary(totals, head.timestamp),
      },
      chain: chainMeta(deps.deployment, head),
      tokens,
    };
  });
};
