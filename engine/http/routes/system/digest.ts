import { z } from 'zod';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { compareIds, digestProof, digestRoot } from '../../../core/merkle.ts';
import { type DigestAt, digestsAt } from '../../../db/read/digests.ts';
import { isMixed, readLedger } from '../../../db/read/snapshot.ts';
import { requireAtMostSettled } from '../../as-of.ts';
import { AtOnce } from '../../at-once.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotReadyError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { keccak } from '../../keccak.ts';

type Page = OutputOf<MethodOf<'system.digest'>>;

const METHOD = 'system.digest';

/** The block, because the settled one moves on between two pages; then the last campaign. */
const Place = z.tuple([cursorId, cursorId]);

/** A digest reads a row of every campaign, however few it answers. */
const atOnce = new AtOnce(4, 'digests');

/** `system.digest`: the root over all campaigns at a block, and the digests under it. */
export const digest: Handler<'system.digest'> = async (input, deps) => {
  const place = placeOf(METHOD, input, Place);
  const keccak256 = await keccak();
  return await atOnce.run(deps, () =>
    readLedger(deps.pool, async ({ sql, head }) => {
      const named = place?.[0] ?? input.block;
      const block = named === undefined ? head.number : Number(named);
      requireAtMostSettled('block', block, head.number);
      if (isMixed(head, block)) throw reorgUnderWay();
      const leftOut = head.stopped.map((one) => one.campaignId);
      const stopped = new Set(leftOut);
      const all = (await digestsAt(sql, block)).filter((one) => !stopped.has(one.campaignId));
      const { campaignId, limit = PAGE_LIMIT } = input;
      const under = {
        block: String(block),
        root: digestRoot(keccak256, all),
        leftOut,
        campaigns: all.length,
      };
      const proof = campaignId === undefined ? null : digestProof(keccak256, all, campaignId);
      const page =
        campaignId === undefined ? pageAfter(all, place?.[1], limit) : only(all, campaignId);
      const next = page.more ? page.items.at(-1) : undefined;
      return {
        data: {
          ...under,
          items: page.items.map(({ seq, ...one }) => ({ ...one, sequence: seq })),
          proof: proof?.map((step) => ({ ...step })) ?? null,
          nextCursor: next
            ? encodeCursor({ method: METHOD, input }, [String(block), next.campaignId])
            : null,
        } satisfies Page,
        chain: chainMeta(
          deps.deployment,
          head,
          block,
          all.map((one) => one.campaignId),
        ),
      };
    }),
  );
};

/** A root of two forks would be the root of no chain. */
function reorgUnderWay(): NotReadyError {
  const message = 'The chain is replacing blocks just now: try again.';
  return new NotReadyError([{ path: 'block', message }]);
}

interface Slice {
  readonly items: readonly DigestAt[];
  readonly more: boolean;
}

function pageAfter(all: readonly DigestAt[], last: string | undefined, limit: number): Slice {
  const rest =
    last === undefined ? all : all.filter(({ campaignId }) => compareIds(campaignId, last) > 0);
  return { items: rest.slice(0, limit), more: rest.length > limit };
}

function only(all: readonly DigestAt[], campaignId: string): Slice {
  return { items: all.filter((one) => one.campaignId === campaignId), more: false };
}
