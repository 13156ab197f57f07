import { z } from 'zod';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { ledgerFields } from '../../../core/campaign.ts';
import { type DigestEventView, digestEvents as readEvents } from '../../../db/read/digests.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotFoundError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';

type Item = OutputOf<MethodOf<'system.digestEvents'>>['items'][number];

const METHOD = 'system.digestEvents';
const Place = z.tuple([cursorId]);

/** `system.digestEvents`: all that a campaign's digest is made of, for making it anew. */
export const digestEvents: Handler<'system.digestEvents'> = async (input, deps) => {
  const { campaignId, after = 0, limit = PAGE_LIMIT } = input;
  const afterSeq = placeOf(METHOD, input, Place)?.[0] ?? String(after);
  return await readLedger(deps.pool, async (snapshot) => {
    const found = await readEvents(snapshot, campaignId, { afterSeq, limit: limit + 1 });
    if (found === undefined) throw new NotFoundError(`There is no campaign ${campaignId}.`);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return {
      data: {
        items: items.map(itemOf),
        nextCursor: last ? encodeCursor({ method: METHOD, input }, [String(last.seq)]) : null,
      },
      chain: chainMeta(deps.deployment, snapshot.head, items.at(-1)?.blockNumber, input.campaignId),
    };
  });
};

function itemOf({ seq, blockNumber, entries, standing, ...event }: DigestEventView): Item {
  const { ledger, counts, ...rest } = standing;
  const { pending, finalized, refunded, reversed, nodes } = counts;
  return {
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
