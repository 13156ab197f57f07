import { z } from 'zod';
import { listPermissions } from '../../../db/read/permissions/list.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { decodeCursor, pageOf } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'permissions.list';
const Position = z.tuple([
  z.enum(['attester', 'distributor']),
  z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
]);

/** `permissions.list`: newest decision of a campaign about each account. */
export const list: Handler<'permissions.list'> = async (input, deps) => {
  const { campaignId, atBlock, role, allowed, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { role: position[0], account: position[1] };
  const filter = { role, allowed, account: input.account && lowerAddress(input.account) };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listPermissions(snapshot, campaign, filter, { after, limit: limit + 1 });
    const { items, nextCursor } = pageOf(found, limit, scope, (one) => [one.role, one.account]);
    const data = items.map(({ seq, tx, ...permission }) => ({
      ...permission,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return {
      data: { items: data, nextCursor },
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};
