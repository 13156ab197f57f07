import { z } from 'zod';
import type { Address } from '../../../core/events.ts';
import { attestedOnDay } from '../../../db/read/operations/attesters.ts';
import { listPermissions, type PermissionView } from '../../../db/read/permissions/list.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorAddress, ListPage, mapItems } from '../../input/cursor.ts';
import { isoTime } from '../../render/time.ts';
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
    const found = page.of(await listPermissions(snapshot, campaign, filter, page.query));
    const { timestamp } = snapshot.head;
    const attesters = found.items.filter(isLimited).map(({ account }) => account);
    const attested = await attestedOnDay(snapshot, campaign, attesters, timestamp);
    const data = mapItems(found, (permission) => ({
      role: permission.role,
      account: permission.account,
      allowed: permission.allowed,
      limits: limitsOf(permission, attested, timestamp),
      sequence: permission.seq,
      tx: txRef(deps.deployment, permission.tx),
    }));
    return {
      data,
      chain: chainMeta(deps.deployment, snapshot.head, campaign.newestBlock, campaignId),
    };
  });
};

/** True for an attester whose permission was not withdrawn. */
function isLimited({ allowed, limits }: PermissionView): boolean {
  return allowed && limits !== null;
}

function limitsOf(
  { account, allowed, limits }: PermissionView,
  attested: ReadonlyMap<Address, bigint>,
  clock: number,
) {
  if (!allowed || limits === null) return null;
  return {
    perOrder: limits.perOrder.toString(),
    daily: limits.daily.toString(),
    expiry: isoTime(limits.expiry),
    attestedToday: (attested.get(account) ?? 0n).toString(),
    inForce: clock < limits.expiry,
  };
}
