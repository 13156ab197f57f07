import { probeId } from '../../../db/ids.ts';
import { type EventFilter, eventsAfter } from '../../../db/read/events/list.ts';
import { isMixed, readLedger } from '../../../db/read/snapshot.ts';
import { notReady } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { PAGE_LIMIT } from '../../input/cursor.ts';
import { ledgerEvent } from '../../render/ledger-event.ts';
import {
  BEGINNING,
  LAST_LOG,
  readEventCursor,
  replacedAfter,
  writeEventCursor,
} from '../../resources/events/event-cursor.ts';

/** `events.list`: settled events in the order of the chain, from where the reader stopped. */
export const list: Handler<'events.list'> = async (input, { pool, deployment }) => {
  const { limit = PAGE_LIMIT, name, campaignId, account } = input;
  const scope = { method: 'events.list', input, field: 'after' } as const;
  const cursor = readEventCursor(scope);
  const filter: EventFilter = {
    names: name,
    campaignIds: campaignId && [...new Set(campaignId.map(probeId))],
    accounts: account?.map(lowerAddress),
  };
  return await readLedger(pool, async (snapshot) => {
    const { head } = snapshot;
    // During a rollback, events above the final block can be of two forks.
    const upTo = isMixed(head, head.number) ? (head.finalizedNumber ?? -1) : head.number;
    if ((cursor?.position.blockNumber ?? 0) > upTo && upTo < head.number) {
      throw notReady('after', 'The chain is replacing blocks: try again.');
    }
    const fork = cursor && (await replacedAfter(snapshot, cursor));
    const position =
      fork === undefined
        ? (cursor?.position ?? BEGINNING)
        : { blockNumber: fork, logIndex: LAST_LOG };
    const { items, readUpTo } = await eventsAfter(
      snapshot,
      { after: position, upTo },
      filter,
      limit,
    );
    const stopped = new Set(head.stopped.map((one) => one.campaignId));
    const covered = campaignId ?? undefined;
    return {
      data: {
        items: items.map((event) => ledgerEvent(deployment, event, head)),
        after: await writeEventCursor(snapshot, scope, readUpTo ?? upTo),
        more: readUpTo !== null,
        retracted: fork === undefined ? null : { afterBlock: String(Math.max(0, fork)) },
        restarted: (cursor?.stopped ?? []).filter((id) => !stopped.has(id)),
      },
      chain: chainMeta(deployment, head, items.at(-1)?.blockNumber, covered),
    };
  });
};
