import type { api, DataOf } from '../../../api.ts';

type Statement = DataOf<typeof api.statements.earnings>;
type TokenStatement = Statement['byToken'][number];
type Period = TokenStatement['periods'][number];

/** Amounts of a period in which nothing moved. */
const NOTHING: Period['movements'] = {
  earned: '0',
  refunded: '0',
  vested: '0',
  claimed: '0',
  reversed: '0',
  missed: '0',
};

/**
 * All periods of a statement up to a moment, oldest first. The API leaves out those in which nothing moved; their
 * balances are those of the period before.
 * @param until ISO time; later periods have not begun.
 */
export function allPeriods(
  { interval, from, to }: Pick<Statement, 'interval' | 'from' | 'to'>,
  { opening, periods }: Pick<TokenStatement, 'opening' | 'periods'>,
  until: string,
): Period[] {
  const known = new Map(periods.map((period) => [Date.parse(period.from), period]));
  const end = Math.min(Date.parse(to), Date.parse(until) + 1);
  const all: Period[] = [];
  for (let at = Date.parse(from); at < end; ) {
    const next = nextStart(at, interval);
    const before = all.at(-1)?.closing ?? opening;
    const empty = { opening: before, movements: NOTHING, closing: before };
    const times = { from: new Date(at).toISOString(), to: new Date(next).toISOString() };
    all.push(known.get(at) ?? { ...times, ...empty });
    at = next;
  }
  return all;
}

function nextStart(at: number, interval: Statement['interval']): number {
  const date = new Date(at);
  return interval === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Name of a period: `2026-01-31`, or `2026-01` for a month. */
export const periodName = (from: string, interval: Statement['interval']): string =>
  from.slice(0, interval === 'day' ? 10 : 7);
