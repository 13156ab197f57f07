import { partBps, percent } from '../../../format.ts';

/** Number of sales in each state. */
interface SalesCounters {
  readonly pending: number;
  readonly finalized: number;
  readonly refunded: number;
}

/** Sales of a link in all states. */
export const totalSales = ({ pending, finalized, refunded }: SalesCounters): number =>
  pending + finalized + refunded;

/** Sales per visit, `12.5 %`; a dash without visits. A link that was shown elsewhere may have more sales than visits. */
export function conversionRate(opens: number, sales: number): string {
  return opens === 0 ? '–' : percent(partBps(BigInt(sales), BigInt(opens)));
}
