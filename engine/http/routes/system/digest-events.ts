import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { ledgerFields } from '../../../core/campaign.ts';
import { formatEventId } from '../../../core/event-id.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import {
  type DigestEventView,
  digestEvents as readEvents,
} from '../../../db/read/system/digests.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';

type Item = OutputOf<MethodOf<'system.digestEvents'>>['items'][number];

/** `system.digestEvents`: everything that a campaign's digest is computed from, to recompute it. */
export const digestEvents: Handler<'system.digestEvents'> = async (input, deps) => {
  const { campaignId, after = 0 } = input;
  const page = new ListPage('system.digestEvents', input, { seq: cursorId });
  const afterSeq = page.after?.seq ?? String(after);
  return await readLedger(deps.pool, async (snapshot) => {
    const found = await readEvents(snapshot, campaignId, { afterSeq, limit: page.query.limit });
    if (found === undefined) throw notFound(`There is no campaign ${campaignId}.`);
    const { items, nextCursor } = page.of(found);
    return {
      data: {
        items: items.map((item) => itemOf(item, String(deps.deployment.chainId))),
        nextCursor,
      },
      chain: chainMeta(deps.deployment, snapshot.head, items.at(-1)?.blockNumber, input.campaignId),
    };
  });
};

function itemOf(item: DigestEventView, chainId: string): Item {
  const { seq, blockNumber, timestamp, transactionIndex, entries, standing, ...event } = item;
  const { logIndex } = event;
  const eventId = formatEventId({ timestamp, chainId, blockNumber, transactionIndex, logIndex });
  const { ledger, counts, ...rest } = standing;
  const { pending, finalized, refunded, reversed, nodes } = counts;
  return {
    eventId,
    ...event,
    sequence: seq,
    blockNumber: String(blockNumber),
    entries: entries.map((entry) => ({ ...entry, after: { ...entry.after } })),
    standing: {
      ...rest,
      price: rest.price.toString(),
      ledger: ledgerFields.map((field) => ledger[field].toString()),
      counts: [pending, finalized, refunded, reversed, nodes],
    },
  };
}
