import { z } from 'zod';
import { listMissed } from '../../../db/read/earnings/missed.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, cursorLevel, ListPage } from '../../input/cursor.ts';
import { missedEarning } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const position = {
  saleId: cursorId,
  campaignId: cursorId,
  level: cursorLevel,
  reason: z.enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET']),
};

/** `earnings.missed`: amounts that caps and budgets took from the caller's levels, newest sale first. */
export const missed: Handler<'earnings.missed'> = async (input, deps, { account }) => {
  const { deployment } = deps;
  const page = new ListPage('earnings.missed', input, position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    reason: input.reason,
    ...page.query,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listMissed(snapshot, account, query);
    const data = await earnedPage(snapshot, page.of(found), (row, campaign) =>
      missedEarning(deployment, campaign, row),
    );
    return { data, chain: chainMeta(deployment, snapshot.head) };
  });
};
