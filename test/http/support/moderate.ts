import { decide } from '../../../engine/db/commerce/moderation.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { account } from '../../support/history.ts';

/** An operator's decision about a campaign. */
export async function moderate(
  pool: Pool,
  action: 'hide' | 'unhide',
  campaignId: string,
  reason = 'Looked at again.',
): Promise<void> {
  await decide(pool, { campaignId, action, reason, operator: account(79) });
}
