import { z } from 'zod';
import { movementsOf, partyOf } from '../../../core/movements.ts';
import { type MovingEventView, movingEventsOf } from '../../../db/read/moving-events.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { campaignFilter } from '../../campaign-filter.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { periodOf } from '../../period.ts';
import { soldBy } from '../../render/campaign.ts';
import { isoTime } from '../../render/time.ts';
import { txRef } from '../../render/tx-ref.ts';

const METHOD = 'vault.movements';
/** Block, campaign, event, and how many of the event's movements were told. */
const Place = z.tuple([cursorId, cursorId, cursorId, z.string().regex(/^[1-9]$/)]);

/** `vault.movements`: what came, went or moved in the caller's campaigns, newest first. */
export const movements: Handler<'vault.movements'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT, kind, range } = input;
  const { pool, deployment } = deps;
  const place = placeOf(METHOD, input, Place);
  const query = {
    campaignId: campaignFilter(input.campaignId),
    kind,
    range: periodOf(range),
    from: place && { blockNumber: place[0], campaignId: place[1], seq: place[2] },
    // The event at the place, of which all may be told, and one for each movement and the next.
    limit: limit + 2,
  };
  return await readLedger(pool, async (snapshot) => {
    const events = await movingEventsOf(snapshot, session.address, query);
    const found = events.flatMap((event) => toldOf(event, place)).slice(0, limit + 1);
    const data = await earnedPage(
      snapshot,
      { found, limit, scope: { method: METHOD, input } },
      ({ event, ordinal }) => [
        String(event.blockNumber),
        event.campaignId,
        String(event.seq),
        String(ordinal),
      ],
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

/** The movements of an event, without those that the page before told. */
function toldOf(event: MovingEventView, place: z.infer<typeof Place> | undefined) {
  const isPlace = place?.[1] === event.campaignId && place[2] === String(event.seq);
  const told = isPlace ? Number(place[3]) : 0;
  return movementsOf(event.before, event.after)
    .map((movement, i) => ({ campaignId: event.campaignId, event, movement, ordinal: i + 1 }))
    .slice(told);
}
