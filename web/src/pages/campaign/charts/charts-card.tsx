import { useState } from 'react';
import { heightOf } from '../../../charts/bands.ts';
import styles from '../../../charts/charts.module.css';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Time } from '../../../components/time.tsx';
import { count, exactMoney, type Unit } from '../../../format.ts';
import { firstBlockWithin, type LedgerSample, rewardBands, salesBands, spanOf } from './series.ts';
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

const DAY_MS = 86_400_000;

/** Stretches of time up to the newest block that can be chosen. */
const ranges = [
  ['1 day', DAY_MS],
  ['7 days', 7 * DAY_MS],
  ['30 days', 30 * DAY_MS],
  ['90 days', 90 * DAY_MS],
] as const;

/** Sales and rewards of a campaign over time. */
export function ChartsCard({ campaignId, createdBlock, block, ...about }: ChartsCardProps) {
  const [rangeMs, setRangeMs] = useState<number>();
  const whole = useSeries(campaignId, createdBlock, block);
  const from = firstBlockWithin(whole.data ?? [], rangeMs);
  const { data, error, refetch, isFetching, dataUpdatedAt } = useSeries(
    campaignId,
    from === undefined ? createdBlock : String(from),
    block,
  );
  const span = spanOf(whole.data ?? []);
  return (
    <Card
      title="Over time"
      id="time"
      aside={
        <Button disabled={isFetching} onClick={() => void refetch()}>
          {isFetching ? 'Reading …' : 'Read again'}
        </Button>
      }
    >
      <fieldset className={styles.ranges}>
        <legend className="visually-hidden">Range</legend>
        {ranges
          .filter(([, milliseconds]) => milliseconds < span)
          .map(([name, milliseconds]) => (
            <Button
              key={name}
              aria-pressed={rangeMs === milliseconds}
              onClick={() => setRangeMs(milliseconds)}
            >
              {name}
            </Button>
          ))}
        <Button aria-pressed={rangeMs === undefined} onClick={() => setRangeMs(undefined)}>
          All
        </Button>
      </fieldset>
      {data === undefined && error === null && <Loading what="past ledgers" />}
      {data === undefined && error !== null && (
        <Failure error={error} what="The past" onRetry={() => void refetch()} />
      )}
      {data && <Charts samples={data} readAt={dataUpdatedAt} {...about} />}
    </Card>
  );
}

interface ChartsProps {
  readonly samples: readonly LedgerSample[];
  /** When they were read, milliseconds since 1970. */
  readonly readAt: number;
  readonly trustMode: string;
  readonly token: Unit;
}

function Charts({ samples, readAt, trustMode, token }: ChartsProps) {
  const sales = salesBands(samples, trustMode);
  const rewards = rewardBands(samples);
  const native = trustMode === 'NATIVE_ONCHAIN';
  const amount = (value: bigint) => exactMoney(value, token);

  if (heightOf(sales) === 0n && heightOf(rewards) === 0n) {
    return <Empty>No sale in this range yet.</Empty>;
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
      <p className={`soft ${styles.note}`}>
        The ledgers after {samples.length} blocks, read <Time at={new Date(readAt).toISOString()} />
        . Each step is one of these blocks: a change between two of them is drawn at the later one.
      </p>
    </div>
  );
}
