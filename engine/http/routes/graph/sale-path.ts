import { getNode } from '../../../db/read/graph/nodes.ts';
import { saleLevels, saleMissed } from '../../../db/read/sales/levels.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, requireChain } from '../../handler-types.ts';
import { ListPage } from '../../input/cursor.ts';
import { rewardedNode } from '../../render/missed.ts';
import { newestBlockOf } from '../../render/receipt.ts';
import { pathNode, pathPosition, readPathPage } from '../../resources/graph/path-page.ts';
import { requireSale } from '../../resources/receipts/read-receipt.ts';

/** `graph.salePath`: the path of a sale up to the root, with the reward of each level. */
export const salePath: Handler<'graph.salePath'> = async (input, deps) => {
  const { chainId, saleId } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const list = new ListPage('graph.salePath', input, pathPosition);
  return await readLedger(deps.pool, async (snapshot) => {
    const { sql, head } = snapshot;
    const sale = await requireSale(snapshot, saleId);
    const [levels, missed, first] = await Promise.all([
      saleLevels(sql, head, sale.at),
      saleMissed(sql, sale.at),
      sale.nodeId === null
        ? undefined
        : getNode(snapshot, { campaignId: sale.campaignId, nodeId: sale.nodeId }),
    ]);
    const page = first
      ? await readPathPage(snapshot, first, list)
      : { items: [], nextCursor: null };
    return {
      data: {
        chainId,
        campaignId: sale.campaignId,
        saleId: sale.saleId,
        nodeId: sale.nodeId,
        depth: first?.depth ?? 0,
        maxRewardedAncestors: sale.policy.maxRewardedAncestors,
        items: page.items.map((node) =>
          rewardedNode(pathNode(deployment, first?.depth ?? 0, node, sale.policy), {
            policy: sale.policy,
            levels,
            missed,
          }),
        ),
        nextCursor: page.nextCursor,
      },
      chain: chainMeta(deployment, head, newestBlockOf({ sale, levels }), sale.campaignId),
    };
  });
};
