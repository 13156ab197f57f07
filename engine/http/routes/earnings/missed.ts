import { z } from 'zod';
import { listMissed } from '../../../db/read/list-missed.ts';
import { readAsOf } from '../../as-of.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { missedEarning } from '../../render/earnings.ts';

const METHOD = 'earnings.missed';
const Place = z.tuple([
  cursorId,
  cursorId,
  z.string().regex(/^[1-9]$/),
  z.enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET']),
]);

/** `earnings.missed`: what caps and budgets took of the caller's levels, newest sale first. */
export const missed: Handler<'earnings.missed'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, reason } = input;
  const { deployment } = deps;
  const place = placeOf(METHOD, input, Place);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    reason,
    after: place && {
      saleId: place[0],
      campaignId: place[1],
      level: place[2],
      reason: place[3],
    },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listMissed(snapshot, session.address, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope: { method: METHOD, input } },
      (row) => [row.saleId, row.campaignId, String(row.level), row.reason],
      (row, campaign) => missedEarning(deployment, campaign, row),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
