import { z } from 'zod';
import { openKeccak } from '../../../chain/keccak.ts';
import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import type { Keccak256 } from '../../../core/digest.ts';
import { compareIds, digestProof, digestRoot } from '../../../core/merkle.ts';
import { isMixed, readLedger } from '../../../db/read/snapshot.ts';
import { type DigestAt, digestsAt } from '../../../db/read/system/digests.ts';
import { requireAtMostSettled } from '../../as-of.ts';
import { type HttpError, notReady } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';

type DigestPage = OutputOf<MethodOf<'system.digest'>>;

const METHOD = 'system.digest';

/** Block, because the settled block advances between two pages, and last campaign of the page. */
const Position = z.tuple([cursorId, cursorId]);

/** Limit on concurrent digests: each reads a row of every campaign. */
const concurrency = new ConcurrencyLimit(4, 'digests');

/** Hash of the digests, opened at its first use: it holds nothing but its own memory. */
let hash: Promise<Keccak256> | undefined;

/** `system.digest`: the root over all campaigns at a block, and the digests under it. */
export const digest: Handler<'system.digest'> = async (input, deps) => {
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  hash ??= openKeccak();
  const keccak256 = await hash;
  return await concurrency.run(deps, () =>
    readLedger(deps.pool, async ({ sql, head }) => {
      const named = position?.[0] ?? input.block;
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
        campaignId === undefined ? pageAfter(all, position?.[1], limit) : only(all, campaignId);
      const next = page.more ? page.items.at(-1) : undefined;
      return {
        data: {
          ...under,
          items: page.items.map(({ seq, ...one }) => ({ ...one, sequence: seq })),
          proof: proof?.map((step) => ({ ...step })) ?? null,
          nextCursor: next ? encodeCursor(scope, [String(block), next.campaignId]) : null,
        } satisfies DigestPage,
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

/** Error during a reorg: a root over two forks would be the root of no chain. */
function reorgUnderWay(): HttpError {
  const message = 'The chain is replacing blocks: try again.';
  return notReady('block', message);
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
