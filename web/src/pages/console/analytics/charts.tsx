import { sum } from '../../../../../engine/core/amounts.ts';
import type { Band } from '../../../charts/bands.ts';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { count, shortAmount } from '../../../format.ts';
import { DayChart } from './day-chart.tsx';
import type { Analytics, AnalyticsToken, Point } from './totals.tsx';

interface Props {
  readonly analytics: Analytics;
  readonly token: AnalyticsToken;
}

/** Days of the period as bars: sales by state, their value, rewards, and how the network grew. */
export function Charts({ analytics: { series, networkGrowth }, token }: Props) {
  const days = series.map(({ at }) => at);
  const band = (
    name: string,
    label: string,
    of: (point: Point) => bigint,
    from = series,
  ): Band => ({
    name,
    label,
    amounts: from.map(of),
  });
  const hasData = sum(
    series.map(({ sales, links }) =>
      BigInt(sales.pending + sales.finalized + sales.refunded + links),
    ),
  );
  if (hasData === 0n) {
    return (
      <Card title="By day">
        <Empty>There were no sales in this period, and no new links.</Empty>
      </Card>
    );
  }
  const money = (amount: bigint): string => shortAmount(amount, token?.decimals ?? 0);
  return (
    <Card title="By day">
      <div className="stack">
        <DayChart
          title="Sales"
          unit="sales"
          days={days}
          write={count}
          bands={[
            band('finalized', 'Completed', ({ sales }) => BigInt(sales.finalized)),
            band('pending', 'On hold', ({ sales }) => BigInt(sales.pending)),
            band('refunded', 'Refunded', ({ sales }) => BigInt(sales.refunded)),
          ]}
        />
        {token && (
          <>
            <DayChart
              title={`Value of completed sales, ${token.symbol}`}
              unit={token.symbol}
              days={days}
              write={money}
              bands={[band('value', 'Value', ({ value }) => BigInt(value))]}
            />
            <DayChart
              title={`Rewards of completed sales, ${token.symbol}`}
              unit={token.symbol}
              days={days}
              write={money}
              bands={[band('rewards', 'Rewards', ({ rewards }) => BigInt(rewards))]}
            />
          </>
        )}
        <DayChart
          title="Links of all partners at the end of each day"
          unit="links"
          days={days}
          write={count}
          bands={[band('links', 'Links', ({ links }) => BigInt(links), networkGrowth)]}
        />
      </div>
    </Card>
  );
}
