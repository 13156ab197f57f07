import { z } from 'zod';
import { listPermissions } from '../../../db/read/permissions/list.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorAddress, ListPage, mapItems } from '../../input/cursor.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

const position = { role: z.enum(['attester', 'distributor']), account: cursorAddress };

/** `permissions.list`: newest decision of a campaign about each account. */
export const list: Handler<'permissions.list'> = async (input, deps) => {
  const { campaignId, atBlock, role, allowed } = input;
  const page = new ListPage('permissions.list', input, position);
  const filter = { role, allowed, account: input.account && lowerAddress(input.account) };
  return await readAsOf(deps, atBlock, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await listPermissions(snapshot, campaign, filter, page.query);
    const data = mapItems(page.of(found), ({ seq, tx, ...permission }) => ({
      ...permission,
      sequence: seq,
      tx: txRef(deps.deployment, tx),
    }));
    return {
      data,
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};
