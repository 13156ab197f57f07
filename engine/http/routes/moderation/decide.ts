import { type Decision, decide } from '../../../db/commerce/moderation.ts';
import { campaignExists } from '../../../db/read/sales/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { moderationDecision } from '../../render/moderation.ts';

/** `moderation.hide` and `moderation.unhide`: opposite decisions about a campaign. */
function deciding(
  action: Decision['action'],
): Handler<'moderation.hide'> & Handler<'moderation.unhide'> {
  return async ({ campaignId, reason }, deps, { account }) => {
    const operator = requireOperator(deps, account);
    const exists = await readLedger(deps.pool, (snapshot) => campaignExists(snapshot, campaignId));
    if (!exists) throw notFound(`There is no campaign ${campaignId}.`);
    const decision = await decide(deps.pool, { campaignId, action, reason, operator });
    if (decision === undefined) throw conflict(`Campaign ${campaignId} is not hidden.`);
    return { data: moderationDecision(decision) };
  };
}

export const hide = deciding('hide');
export const unhide = deciding('unhide');
