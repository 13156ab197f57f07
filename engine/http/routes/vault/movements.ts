import { z } from 'zod';
import { movementsOf, partyOf } from '../../../core/movements.ts';
import { type MovingEventView, movingEventsOf } from '../../../db/read/vault/movements.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { periodOf } from '../../input/period.ts';
import { soldBy } from '../../render/campaign.ts';
import { isoTime } from '../../render/time.ts';
import { txRef } from '../../render/tx-ref.ts';
import { requireOwnFilter } from '../../resources/campaigns/find-campaign.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';

/** Block, campaign, event, and the number of the event's movements on earlier pages. */
const position = {
  blockNumber: cursorId,
  campaignId: cursorId,
  seq: cursorId,
  ordinal: z.string().regex(/^[1-9]$/),
};

/** `vault.movements`: deposits, payments and transfers in the caller's campaigns, newest first. */
export const movements: Handler<'vault.movements'> = async (input, deps, { merchant }) => {
  const { kind, range } = input;
  const { deployment } = deps;
  const page = new ListPage('vault.movements', input, position);
  const query = {
    campaignId: input.campaignId,
    kind,
    range: periodOf(range),
    from: page.after,
    // The event at the position, whose movements may all be on earlier pages, and one more event.
    limit: page.limit + 2,
  };
  return await readAsOf(deps, input.atBlock, async (snapshot) => {
    await requireOwnFilter(snapshot, input.campaignId, merchant);
    const events = await movingEventsOf(snapshot, merchant, query);
    const found = events
      .flatMap((event) => remainingMovements(event, page.after))
      .slice(0, page.limit + 1);
    const data = await earnedPage(
      snapshot,
      page.of(found, ({ event, ordinal }) => ({ ...event, ordinal })),
      ({ event, movement: { from, to, amount } }, campaign) => ({
        campaignId: event.campaignId,
        sequence: event.seq,
        kind: event.name,
        from,
        to,
        amount: amount.toString(),
        token: soldBy(campaign).token,
        account: partyOf({ from, to }, event.args),
        saleId: event.saleId,
        at: isoTime(event.blockTimestamp),
        tx: txRef(deployment, {
          hash: event.transactionHash,
          blockNumber: event.blockNumber,
          timestamp: event.blockTimestamp,
        }),
      }),
    );
    return {
      data,
      chain: chainMeta(deployment, snapshot.head, events[0]?.blockNumber, input.campaignId),
    };
  });
};

/** Movements of an event, without those on the previous page. */
function remainingMovements(event: MovingEventView, after: ListPage<typeof position>['after']) {
  const isPosition = after?.campaignId === event.campaignId && after.seq === String(event.seq);
  const skipped = isPosition ? Number(after.ordinal) : 0;
  return movementsOf(event.before, event.after)
    .map((movement, i) => ({ campaignId: event.campaignId, event, movement, ordinal: i + 1 }))
    .slice(skipped);
}
