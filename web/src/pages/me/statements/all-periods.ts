/** Length of the periods of a statement. */
type Interval = 'day' | 'month';

type Amounts<Name extends string> = { readonly [K in Name]: string };

/** A period of a statement, as `statements.earnings` returns it; amounts in base units. */
interface Period {
  readonly from: string;
  readonly to: string;
  readonly opening: Balances;
  readonly movements: Amounts<'earned' | 'refunded' | 'vested' | 'claimed' | 'reversed' | 'missed'>;
  readonly closing: Balances;
}

type Balances = Amounts<'reserved' | 'claimable' | 'claimed' | 'refunded' | 'reversed'>;

interface Statement {
  readonly interval: Interval;
  readonly from: string;
  readonly to: string;
}

interface TokenStatement {
  readonly opening: Balances;
  readonly periods: readonly Period[];
}

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
  { interval, from, to }: Statement,
  { opening, periods }: TokenStatement,
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

function nextStart(at: number, interval: Interval): number {
  const date = new Date(at);
  return interval === 'day'
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
    : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Name of a period: `2026-01-31`, or `2026-01` for a month. */
export const periodName = (from: string, interval: Interval): string =>
  from.slice(0, interval === 'day' ? 10 : 7);
