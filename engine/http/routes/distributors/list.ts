import { listDistributors } from '../../../db/read/distributors/list.ts';
import { rankingState } from '../../../db/read/distributors/ranking-state.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notReady } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorAddress, cursorId, ListPage } from '../../input/cursor.ts';
import { distributor } from '../../render/distributor.ts';
import { hasRanking } from '../../resources/distributors/ranking.ts';

const position = { place: cursorId, address: cursorAddress };

/** `distributors.list`: distributors in the order discovery-v1, at the block of the ranking. */
export const list: Handler<'distributors.list'> = async (input, deps) => {
  const { slot, category } = input;
  const page = new ListPage('distributors.list', input, position);
  const { after, limit } = page;
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
        items: items.map(({ totals, profile }) =>
          distributor(totals, profile, state.blockTimestamp),
        ),
        nextCursor: page.cursor(next),
      },
      chain: chainMeta(deps.deployment, asOf),
    };
  });
};
