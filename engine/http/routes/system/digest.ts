import type { MethodOf, OutputOf } from '../../../contract/types.ts';
import { compareIds, digestProof } from '../../../core/merkle.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import type { DigestAt } from '../../../db/read/system/digests.ts';
import { requireAtMostSettled } from '../../as-of.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { digestConcurrency, rootAt } from '../../resources/system/digests.ts';

type DigestPage = OutputOf<MethodOf<'system.digest'>>;

/** Block, because the settled block advances between two pages, and campaign. */
const position = { block: cursorId, campaignId: cursorId };

/** `system.digest`: the root over all campaigns at a block, and the digests under it. */
export const digest: Handler<'system.digest'> = async (input, deps) => {
  const list = new ListPage('system.digest', input, position);
  const { after, limit } = list;
  return await digestConcurrency.run(deps, () =>
    readLedger(deps.pool, async (snapshot) => {
      const { head } = snapshot;
      const named = after?.block ?? input.block;
      const block = named === undefined ? head.number : Number(named);
      requireAtMostSettled('block', block, head.number);
      const { digests, under, keccak256 } = await rootAt(snapshot, block);
      const { campaignId } = input;
      const proof = campaignId === undefined ? null : digestProof(keccak256, digests, campaignId);
      const page =
        campaignId === undefined
          ? pageAfter(digests, after?.campaignId, limit)
          : only(digests, campaignId);
      const next = page.more ? page.items.at(-1) : undefined;
      return {
        data: {
          block: String(block),
          ...under,
          items: page.items.map(({ seq, ...one }) => ({ ...one, sequence: seq })),
          proof: proof?.map((step) => ({ ...step })) ?? null,
          nextCursor: list.cursor(next && { block, campaignId: next.campaignId }),
        } satisfies DigestPage,
        chain: chainMeta(
          deps.deployment,
          head,
          block,
          digests.map((one) => one.campaignId),
        ),
      };
    }),
  );
};

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
