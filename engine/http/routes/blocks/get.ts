import { countEventsOfBlock, eventsOfBlock } from '../../../db/read/events/located.ts';
import { finalityOf } from '../../../db/read/snapshot.ts';
import { readAsOf } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { ledgerEvent } from '../../render/ledger-event.ts';
import { isoTime } from '../../render/time.ts';
import { digestConcurrency, rootAt } from '../../resources/system/digests.ts';

/** `blocks.get`: a settled block with its events, and the digest of the ledger after it. */
export const get: Handler<'blocks.get'> = async (input, deps) => {
  const { number } = input;
  const page = new ListPage('blocks.get', input, { logIndex: cursorId });
  const { after, limit } = page.query;
  const afterLog = Number(after?.logIndex ?? -1);
  return await digestConcurrency.run(deps, () =>
    readAsOf(
      deps,
      number,
      async (snapshot) => {
        const { head } = snapshot;
        const [found, events, { digests, under }] = await Promise.all([
          eventsOfBlock(snapshot, head.number, { afterLog, limit }),
          countEventsOfBlock(snapshot, head.number),
          rootAt(snapshot, head.number),
        ]);
        const { items, nextCursor } = page.of(found);
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
