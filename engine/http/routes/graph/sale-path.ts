import { z } from 'zod';
import { getNode } from '../../../db/read/nodes.ts';
import { getSale } from '../../../db/read/receipt.ts';
import { saleLevels, saleMissed } from '../../../db/read/sale-levels.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT, requireChain } from '../../handler.ts';
import { pathNode, readPathPage } from '../../path-page.ts';
import { rewardedNode } from '../../render/missed.ts';
import { newestBlockOf } from '../../render/receipt.ts';

const METHOD = 'graph.salePath';
const Place = z.tuple([cursorId]);

/** `graph.salePath`: the path of a sale up to the root, with what each level got. */
export const salePath: Handler<'graph.salePath'> = async (input, deps) => {
  const { chainId, saleId, limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  requireChain(deps, chainId);
  const place = placeOf(METHOD, input, Place);
  return await readLedger(deps.pool, async (snapshot) => {
    const { sql, head } = snapshot;
    const sale = await getSale(snapshot, saleId);
    if (sale === undefined) throw new NotFoundError(`There is no sale ${saleId}.`);
    const [levels, missed, first] = await Promise.all([
      saleLevels(sql, head, sale.at),
      saleMissed(sql, sale.at),
      sale.nodeId === null
        ? undefined
        : getNode(snapshot, { campaignId: sale.campaignId, nodeId: sale.nodeId }),
    ]);
    const page = first
      ? await readPathPage(snapshot, first, place?.[0], limit, { method: METHOD, input })
      : { nodes: [], nextCursor: null };
    return {
      data: {
        chainId,
        campaignId: sale.campaignId,
        saleId: sale.saleId,
        nodeId: sale.nodeId,
        depth: first?.depth ?? 0,
        maxRewardedAncestors: sale.policy.maxRewardedAncestors,
        items: page.nodes.map((node) =>
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
