import { listClaims } from '../../../db/read/earnings/claims.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { claimOf } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const position = { blockNumber: cursorId, campaignId: cursorId, seq: cursorId };

/** `earnings.claims`: payments to the caller, newest first. */
export const claims: Handler<'earnings.claims'> = async (input, deps, { account }) => {
  const { deployment } = deps;
  const page = new ListPage('earnings.claims', input, position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    ...page.query,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listClaims(snapshot, account, query);
    const data = await earnedPage(
      snapshot,
      page.of(found, (one) => ({ ...one, blockNumber: one.claim.blockNumber })),
      (row, campaign) => claimOf(deployment, campaign, row),
    );
    const newest = found[0]?.claim.blockNumber;
    return { data, chain: chainMeta(deployment, snapshot.head, newest) };
  });
};
