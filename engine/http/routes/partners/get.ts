import { listConversions } from '../../../db/read/list-conversions.ts';
import { getPartner } from '../../../db/read/list-partners.ts';
import { mostSettledToken } from '../../../db/read/most-settled-token.ts';
import { partnerNodesOf, rankedFigures, sharedCampaigns } from '../../../db/read/partner-nodes.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { lowerAddress } from '../../address.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler.ts';
import { hasRanking } from '../../ranking.ts';
import { rewardBuckets } from '../../render/earnings.ts';
import { partner, partnerNodes, partnerSales } from '../../render/partner.ts';

/** Sales that are told of one partner: the newest. */
const SALES_MOST = 100;

/**
 * `partners.get`: a partner by its address, which everybody may read on the chain. Of one who keeps
 * it apart from the handle, the answer has neither.
 */
export const get: Handler<'partners.get'> = async (input, deps, { session }) => {
  const account = lowerAddress(input.address);
  const { address: merchant } = session;
  const ranked = await hasRanking(deps);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head, sql } = snapshot;
    const pair = { merchant, account };
    const tokens = await mostSettledToken(snapshot, { merchant });
    const token = tokens?.token.address ?? null;
    const found = await getPartner(snapshot, { ...pair, token });
    if (found === undefined) throw new NotFoundError(`${account} is no partner of yours.`);
    const campaignIds = await sharedCampaigns(snapshot, pair);
    const newest = { limit: SALES_MOST, campaignIds, ...everything };
    const [nodes, levels, records] = await Promise.all([
      partnerNodesOf(snapshot, pair),
      listConversions(snapshot, account, newest),
      rankedFigures(sql, ranked ? [account] : []),
    ]);
    return {
      data: {
        partner: partner(found, records.get(account), head.timestamp),
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
