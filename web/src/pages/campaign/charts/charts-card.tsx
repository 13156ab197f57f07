import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { groupDigits, humanAmount, type Unit } from '../../../format.ts';
import styles from './charts.module.css';
import { heightOf, type LedgerSample, rewardBands, salesBands } from './series.ts';
import { StackChart } from './stack-chart.tsx';
import { useSeries } from './use-series.ts';

interface ChartsCardProps {
  readonly campaignId: string;
  readonly trustMode: string;
  readonly token: Unit;
  /** Block in which the campaign was created. */
  readonly createdBlock: string;
  /** The newest block that was read. */
  readonly block: string | undefined;
}

/** Sales and rewards of a campaign over time. */
export function ChartsCard({ campaignId, createdBlock, block, ...about }: ChartsCardProps) {
  const { data, error, refetch } = useSeries(campaignId, createdBlock, block);
  return (
    <Card title="Over time" id="time">
      {data === undefined && error === null && <Loading what="past ledgers" />}
      {data === undefined && error !== null && (
        <Failure error={error} what="The past" onRetry={() => void refetch()} />
      )}
      {data && <Charts samples={data} {...about} />}
    </Card>
  );
}

interface ChartsProps {
  readonly samples: readonly LedgerSample[];
  readonly trustMode: string;
  readonly token: Unit;
}

function Charts({ samples, trustMode, token }: ChartsProps) {
  const sales = salesBands(samples, trustMode);
  const rewards = rewardBands(samples);
  const native = trustMode === 'NATIVE_ONCHAIN';
  const amount = (value: bigint) => `${humanAmount(value, token.decimals)} ${token.symbol}`;
  const count = (value: bigint) => groupDigits(String(value));
  if (heightOf(sales) === 0n && heightOf(rewards) === 0n) {
    return <Empty>Nothing was sold yet.</Empty>;
  }
  return (
    <div className={styles.charts}>
      <StackChart
        title={native ? 'Buyer payments by status' : 'Sales by status'}
        unit={native ? token.symbol : 'sales'}
        samples={samples}
        bands={sales}
        write={native ? amount : count}
      />
      <StackChart
        title="Rewards by status"
        unit={token.symbol}
        samples={samples}
        bands={rewards}
        write={amount}
      />
      <p className={styles.note}>
        The ledgers after {samples.length} blocks between the campaign’s first and the newest;
        between two of them the line is straight.
      </p>
    </div>
  );
}
