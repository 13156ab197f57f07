import { z } from 'zod';
import { listMissed } from '../../../db/read/earnings/missed.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { missedEarning } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const METHOD = 'earnings.missed';
const Position = z.tuple([
  cursorId,
  cursorId,
  z.string().regex(/^[1-9]$/),
  z.enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET']),
]);

/** `earnings.missed`: amounts that caps and budgets took from the caller's levels, newest sale first. */
export const missed: Handler<'earnings.missed'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT, reason } = input;
  const { deployment } = deps;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    reason,
    after: position && {
      saleId: position[0],
      campaignId: position[1],
      level: position[2],
      reason: position[3],
    },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listMissed(snapshot, account, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope },
      (row) => [row.saleId, row.campaignId, String(row.level), row.reason],
      (row, campaign) => missedEarning(deployment, campaign, row),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
