import { z } from 'zod';
import { countEventsOfBlock, eventsOfBlock } from '../../../db/read/events/located.ts';
import { finalityOf } from '../../../db/read/snapshot.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, pageOf } from '../../input/cursor.ts';
import { ledgerEvent } from '../../render/ledger-event.ts';
import { isoTime } from '../../render/time.ts';
import { digestConcurrency, rootAt } from '../../resources/system/digests.ts';

const METHOD = 'blocks.get';
/** Index of the last log of the page. */
const Position = z.tuple([cursorId]);

/** `blocks.get`: a settled block with its events, and the digest of the ledger after it. */
export const get: Handler<'blocks.get'> = async (input, deps) => {
  const { number, limit = PAGE_LIMIT } = input;
  const scope = { method: METHOD, input };
  const afterLog = Number(decodeCursor(scope, Position)?.[0] ?? -1);
  return await digestConcurrency.run(deps, () =>
    readAsOf(
      deps,
      number,
      async (snapshot) => {
        const { head } = snapshot;
        const [found, events, { digests, under }] = await Promise.all([
          eventsOfBlock(snapshot, head.number, { afterLog, limit: limit + 1 }),
          countEventsOfBlock(snapshot, head.number),
          rootAt(snapshot, head.number),
        ]);
        const { items, nextCursor } = pageOf(found, limit, scope, (one) => [String(one.logIndex)]);
        const covered = [
          ...digests.map(({ campaignId }) => campaignId),
          ...items.map(({ campaignId }) => campaignId),
        ];
        return {
          data: {
            number: String(head.number),
            hash: head.hash,
            timestamp: isoTime(head.timestamp),
            finality: finalityOf(head, head.number, covered),
            events,
            ...under,
            items: items.map((event) => ledgerEvent(deps.deployment, event, head)),
            nextCursor,
          },
          chain: chainMeta(deps.deployment, head, head.number, covered),
        };
      },
      'number',
    ),
  );
};
