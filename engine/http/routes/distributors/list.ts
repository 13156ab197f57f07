import { z } from 'zod';
import { listDistributors } from '../../../db/read/distributors/list.ts';
import { rankingState } from '../../../db/read/distributors/ranking-state.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notReady } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorId, decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { distributor } from '../../render/distributor.ts';
import { hasRanking } from '../../resources/distributors/ranking.ts';

const METHOD = 'distributors.list';
const Position = z.tuple([cursorId, z.string().regex(/^0x[0-9a-f]{40}$/)]);

/** `distributors.list`: distributors in the order discovery-v1, at the block of the ranking. */
export const list: Handler<'distributors.list'> = async (input, deps) => {
  const { limit = PAGE_LIMIT, slot, category } = input;
  const scope = { method: METHOD, input };
  const position = decodeCursor(scope, Position);
  const after = position && { place: position[0], address: position[1] };
  const ready = await hasRanking(deps);
  return await readLedger(deps.pool, async ({ sql, head }) => {
    const state = ready ? await rankingState(sql) : undefined;
    if (state === undefined) {
      const message = 'The ranking of distributors is being computed: try again.';
      throw notReady('ranking', message);
    }
    const { items, next } = await listDistributors(sql, { slot, category, after, limit });
    const asOf = { ...head, number: state.blockNumber, timestamp: state.blockTimestamp };
    return {
      data: {
        items: items.map(({ figures, profile }) =>
          distributor(figures, profile, state.blockTimestamp),
        ),
        nextCursor: next && encodeCursor(scope, [next.place, next.address]),
      },
      chain: chainMeta(deps.deployment, asOf),
    };
  });
};
