import { type Decision, decide } from '../../../db/commerce/moderation.ts';
import { campaignExists } from '../../../db/read/list-sales.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { requireOperator } from '../../auth/scopes.ts';
import { ConflictError, NotFoundError } from '../../errors.ts';
import type { Handler } from '../../handler.ts';
import { moderationDecision } from '../../render/moderation.ts';

/** `moderation.hide` and `moderation.unhide`: the same decision, one way and the other. */
function deciding(
  action: Decision['action'],
): Handler<'moderation.hide'> & Handler<'moderation.unhide'> {
  return async ({ campaignId, reason }, deps, { session }) => {
    const operator = requireOperator(deps, session);
    const exists = await readLedger(deps.pool, (snapshot) => campaignExists(snapshot, campaignId));
    if (!exists) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const decision = await decide(deps.pool, { campaignId, action, reason, operator });
    if (decision === undefined) throw new ConflictError(`Campaign ${campaignId} is not hidden.`);
    return { data: moderationDecision(decision) };
  };
}

export const hide = deciding('hide');
export const unhide = deciding('unhide');
