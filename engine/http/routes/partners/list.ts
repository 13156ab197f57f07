import { reportPartners } from '../../../db/read/list-partners.ts';
import { mostSettledToken } from '../../../db/read/most-settled-token.ts';
import { rankedFigures } from '../../../db/read/partner-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { oneOf } from '../../one-of.ts';
import { readOwnCampaign } from '../../own-campaign.ts';
import { partnerCursor, partnerPageStart } from '../../partner-place.ts';
import { hasRanking } from '../../ranking.ts';
import { partner, partnerSummary } from '../../render/partner.ts';

const METHOD = 'partners.list';

/** The words of `sort`, and what each goes by. */
const sorts = {
  sales: 'sales',
  value: 'value',
  rewards: 'rewards',
  newest: 'firstLink',
} as const;
const sortWords = ['sales', 'value', 'rewards', 'newest'] as const;

/** `partners.list`: who has links in the caller's campaigns, with what they did for the caller. */
export const list: Handler<'partners.list'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, q } = input;
  const { address: merchant } = session;
  const status = oneOf('status', input.status, ['active', 'inactive']);
  const sort = sorts[oneOf('sort', input.sort, sortWords) ?? 'sales'];
  const filters = { q, active: status && status === 'active' };
  // The list of one account is another list than that of another.
  const scope = { method: METHOD, input: { ...input, account: merchant } };
  const start = partnerPageStart(deps.keys, scope);
  const ranked = await hasRanking(deps);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head, sql } = snapshot;
    const campaign =
      input.campaignId === undefined
        ? undefined
        : await readOwnCampaign(snapshot, input.campaignId, merchant);
    const campaignIds = campaign && [campaign.campaignId];
    const tokens = await mostSettledToken(snapshot, { merchant, campaignIds });
    const token = tokens?.token.address ?? null;
    const whose = { merchant, campaignId: campaign?.campaignId, token };
    const query = { ...filters, ...start, sort, limit };
    const { items, next, ...totals } = await reportPartners(snapshot, whose, query);
    const shown = ranked ? items.map(({ account }) => account) : [];
    const records = await rankedFigures(sql, shown);
    return {
      data: {
        items: items.map((one) => partner(one, records.get(one.account), head.timestamp)),
        nextCursor: partnerCursor(scope, start, next),
        summary: partnerSummary(totals, head.timestamp),
      },
      chain: chainMeta(deps.deployment, head),
      tokens,
    };
  });
};
