import type { z } from 'zod';
import type { EarningsStatement } from '../../contract/shapes/statement.ts';
import type { Balances } from '../../core/fold/state.ts';
import { movementsBetween, type StatementInterval } from '../../core/statement.ts';
import type { StatementEdge, TokenStatement } from '../../db/read/statements/read.ts';
import { tokenOf } from './product.ts';
import { isoTime } from './time.ts';

type Statement = z.infer<typeof EarningsStatement>;

/** @param edges unix seconds of the edges of the periods, one more than there are periods. */
export function statementOf(
  interval: StatementInterval,
  edges: readonly number[],
  tokens: readonly TokenStatement[],
): Statement {
  return {
    interval,
    from: isoTime(edges[0] ?? 0),
    to: isoTime(edges.at(-1) ?? 0),
    byToken: tokens.map((one) => tokenStatement(one, edges)),
  };
}

function tokenStatement(
  { token, edges: found }: TokenStatement,
  edges: readonly number[],
): Statement['byToken'][number] {
  const periods = found.slice(1).flatMap((closing, i) => {
    const opening = found[i];
    const [from, to] = [edges[i], edges[i + 1]];
    if (opening === undefined || from === undefined || to === undefined) return [];
    const amounts = amountsBetween(opening, closing, closing.missed);
    const isStill = Object.values(amounts.movements).every((amount) => amount === '0');
    return isStill ? [] : [{ from: isoTime(from), to: isoTime(to), ...amounts }];
  });
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) throw new Error('A statement has no edge.');
  const missed = found.slice(1).reduce((sum, edge) => sum + edge.missed, 0n);
  return { token: tokenOf(token), ...amountsBetween(first, last, missed), periods };
}

function amountsBetween(opening: StatementEdge, closing: StatementEdge, missed: bigint) {
  const moved = movementsBetween(opening.balances, closing.balances);
  return {
    opening: balancesOf(opening.balances),
    movements: {
      earned: moved.earned.toString(),
      refunded: moved.refunded.toString(),
      vested: moved.vested.toString(),
      claimed: moved.claimed.toString(),
      reversed: moved.reversed.toString(),
      missed: missed.toString(),
    },
    closing: balancesOf(closing.balances),
  };
}

function balancesOf({ reserved, claimable, claimed, refunded, reversed }: Balances) {
  return {
    reserved: reserved.toString(),
    claimable: claimable.toString(),
    claimed: claimed.toString(),
    refunded: refunded.toString(),
    reversed: reversed.toString(),
  };
}
