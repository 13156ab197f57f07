import { z } from 'zod';
import { listDistributors } from '../../../db/read/list-distributors.ts';
import { rankingState } from '../../../db/read/ranking-state.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { cursorId, encodeCursor, placeOf } from '../../cursor.ts';
import { NotReadyError } from '../../errors.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { hasRanking } from '../../ranking.ts';
import { distributor } from '../../render/distributor.ts';

const METHOD = 'distributors.list';
const Place = z.tuple([cursorId, z.string().regex(/^0x[0-9a-f]{40}$/)]);

/** `distributors.list`: the order discovery-v1, as of the block that the ranking was made of. */
export const list: Handler<'distributors.list'> = async (input, deps) => {
  const { limit = PAGE_LIMIT, slot, category } = input;
  const place = placeOf(METHOD, input, Place);
  const after = place && { place: place[0], address: place[1] };
  const ready = await hasRanking(deps);
  return await readLedger(deps.pool, async ({ sql, head }) => {
    const state = ready ? await rankingState(sql) : undefined;
    if (state === undefined) {
      const message = 'The ranking of distributors is being made: try again.';
      throw new NotReadyError([{ path: 'ranking', message }]);
    }
    const { items, next } = await listDistributors(sql, { slot, category, after, limit });
    const asOf = { ...head, number: state.blockNumber, timestamp: state.blockTimestamp };
    return {
      data: {
        items: items.map(({ figures, profile }) =>
          distributor(figures, profile, state.blockTimestamp),
        ),
        nextCursor: next && encodeCursor({ method: METHOD, input }, [next.place, next.address]),
      },
      chain: chainMeta(deps.deployment, asOf),
    };
  });
};
