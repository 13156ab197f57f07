import { z } from 'zod';
import { listClaims } from '../../../db/read/earnings/claims.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import { cursorId, decodeCursor } from '../../input/cursor.ts';
import { claimOf } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

const METHOD = 'earnings.claims';
/** Block, campaign, and sequence number of the event. */
const Position = z.tuple([cursorId, cursorId, cursorId]);

/** `earnings.claims`: payments to the caller, newest first. */
export const claims: Handler<'earnings.claims'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    after: position && { blockNumber: position[0], campaignId: position[1], seq: position[2] },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listClaims(snapshot, account, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope },
      ({ claim, campaignId, seq }) => [String(claim.blockNumber), campaignId, seq],
      (row, campaign) => claimOf(deployment, campaign, row),
    );
    const newest = found[0]?.claim.blockNumber;
    return { data, chain: chainMeta(deployment, snapshot.head, newest) };
  });
};
