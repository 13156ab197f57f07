import { listConversions } from '../../../db/read/earnings/conversions.ts';
import { getPartner } from '../../../db/read/partners/list.ts';
import { partnerNodesOf, rankedTotals, sharedCampaigns } from '../../../db/read/partners/nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { mostSettledToken } from '../../../db/read/tokens.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { rewardBuckets } from '../../render/earnings.ts';
import { partner, partnerNodes, partnerSales } from '../../render/partner.ts';
import { hasRanking } from '../../resources/distributors/ranking.ts';

/** Sales of one partner in the response: the newest. */
const MAX_SALES = 100;

/**
 * `partners.get`: a partner by its address, which is public on the chain. If the partner keeps it separate
 * from its handle, the response has neither.
 */
export const get: Handler<'partners.get'> = async (input, deps, { merchant }) => {
  const account = lowerAddress(input.address);
  const ranked = await hasRanking(deps);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head, sql } = snapshot;
    const pair = { merchant, account };
    const tokens = await mostSettledToken(snapshot, { merchant });
    const token = tokens?.token.address ?? null;
    const found = await getPartner(snapshot, { ...pair, token });
    if (found === undefined) throw notFound(`${account} is not a partner of yours.`);
    const campaignIds = await sharedCampaigns(snapshot, pair);
    const newest = { limit: MAX_SALES, campaignIds, ...everything };
    const [nodes, levels, records] = await Promise.all([
      partnerNodesOf(snapshot, pair),
      listConversions(snapshot, account, newest),
      rankedTotals(sql, ranked ? [account] : []),
    ]);
    return {
      data: {
        // The caller knows the address: next to it, a pseudonym would name the account in lists.
        partner: partner(found, records.get(account), head.timestamp, () => null),
        nodes: partnerNodes(nodes),
        sales: partnerSales(levels),
        rewards: rewardBuckets(found.rewards),
      },
      chain: chainMeta(deps.deployment, head),
      tokens,
    };
  });
};

const everything = {
  campaignId: undefined,
  state: undefined,
  range: undefined,
  after: undefined,
} as const;
