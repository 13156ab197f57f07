import { useId, useState } from 'react';
import {
  Area,
  AreaChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { colourOf } from '../../../buckets.ts';
import { type Band, heightOf, roundUp, shareOf } from '../../../charts/bands.ts';
import styles from '../../../charts/charts.module.css';
import { Legend } from '../../../charts/legend.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import { count, groupDigits } from '../../../format.ts';
import type { LedgerSample } from './series.ts';

interface StackChartProps {
  readonly title: string;
  /** Unit of the numbers, for the table: `TUSD`, or `sales`. */
  readonly unit: string;
  readonly samples: readonly LedgerSample[];
  readonly bands: readonly Band[];
  /** Writes a figure of the bands. */
  readonly write: (amount: bigint) => string;
}

/** Steps of the axis, the bottom included. */
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/**
 * Bands on top of each other over time, and the same as a table. The picture is drawn by shares of
 * its height; every figure that one reads is written from the exact amount.
 */
export function StackChart({ title, unit, samples, bands, write }: StackChartProps) {
  const heading = useId();
  const [pointed, setPointed] = useState<number>();
  const top = roundUp(heightOf(bands));
  const shown = pointed ?? samples.length - 1;
  const sample = samples[shown];
  const points = samples.map(({ at }, index) => ({
    at,
    index,
    shares: bands.map(({ amounts }) => shareOf(amounts[index] ?? 0n, top)),
  }));
  return (
    <figure className={styles.chart} aria-labelledby={heading}>
      <figcaption id={heading}>
        <h3>{title}</h3>
        {sample && (
          <p className="soft">
            Block {count(sample.block)}, <Time at={new Date(sample.at).toISOString()} />
          </p>
        )}
        <Legend bands={bands} value={({ amounts }) => write(amounts[shown] ?? 0n)} />
      </figcaption>
      <div className={styles.canvas} aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <AreaChart
            data={points}
            accessibilityLayer={false}
            margin={{ top: 8, right: 8 }}
            onMouseMove={({ activeTooltipIndex }) => setPointed(indexOf(activeTooltipIndex))}
            onMouseLeave={() => setPointed(undefined)}
          >
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="at"
              type="number"
              scale="time"
              domain={['dataMin', 'dataMax']}
              tickFormatter={dayOf}
              minTickGap={40}
              stroke="var(--line-strong)"
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <YAxis
              domain={[0, 1]}
              ticks={TICKS}
              tickFormatter={(share: number) => write(partOf(top, share))}
              width="auto"
              stroke="none"
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            {/* Only its line: the amounts are in the legend, where they cover nothing. */}
            <Tooltip
              isAnimationActive={false}
              cursor={{ stroke: 'var(--ink-soft)' }}
              content={() => null}
            />
            {bands.map(({ name }, index) => (
              <Area
                key={name}
                dataKey={(point: (typeof points)[number]) => point.shares[index] ?? 0}
                name={name}
                stackId="all"
                type="stepAfter"
                isAnimationActive={false}
                stroke={colourOf(name)}
                fill={colourOf(name)}
                fillOpacity={0.75}
              />
            ))}
          </AreaChart>
        </ResponsiveContainer>
      </div>
      <details className={styles.table}>
        <summary>The same as a table</summary>
        <DataTable
          caption={`${title}, ${unit}`}
          rows={samples.map((sample, index) => ({ sample, index }))}
          rowKey={({ sample }) => String(sample.block)}
          columns={[
            {
              name: 'As of',
              cell: ({ sample }) => <Time at={new Date(sample.at).toISOString()} />,
            },
            { name: 'Block', numeric: true, cell: ({ sample }) => groupDigits(`${sample.block}`) },
            ...bands.map(({ label, amounts }) => ({
              name: label,
              numeric: true,
              cell: ({ index }: { index: number }) => write(amounts[index] ?? 0n),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

/** Index of the sample under the pointer. */
function indexOf(index: number | string | null | undefined): number | undefined {
  return index === null || index === undefined ? undefined : Number(index);
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A quarter, half or three quarters of a round amount, rounded down. */
const partOf = (top: bigint, share: number): bigint => (top * BigInt(Math.round(share * 4))) / 4n;
