import { z } from 'zod';
import { listClaims } from '../../../db/read/list-claims.ts';
import { readAsOf } from '../../as-of.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { claimOf } from '../../render/earnings.ts';

const METHOD = 'earnings.claims';
/** Block, campaign, and the event's place among its campaign's. */
const Place = z.tuple([cursorId, cursorId, cursorId]);

/** `earnings.claims`: what was paid to the caller, newest first. */
export const claims: Handler<'earnings.claims'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const { deployment } = deps;
  const place = placeOf(METHOD, input, Place);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    after: place && { blockNumber: place[0], campaignId: place[1], seq: place[2] },
    limit: limit + 1,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    const found = await listClaims(snapshot, session.address, query);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope: { method: METHOD, input } },
      ({ claim, campaignId, seq }) => [String(claim.blockNumber), campaignId, seq],
      (row, campaign) => claimOf(deployment, campaign, row),
    );
    const newest = found[0]?.claim.blockNumber;
    return { data, chain: chainMeta(deployment, snapshot.head, newest) };
  });
};
