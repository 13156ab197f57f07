import { type ReactNode, useId } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import styles from '../../campaign/charts/charts.module.css';
import { type Band, heightOf, roundUp, shareOf } from '../../campaign/charts/series.ts';

interface PeriodBarsProps {
  readonly title: string;
  /** Names of the periods, oldest first: `2026-01-31`. */
  readonly periods: readonly string[];
  readonly bands: readonly Band[];
  /** Writes a number of the bands with its unit. */
  readonly write: (amount: bigint) => string;
  /** Shown under the title. */
  readonly children?: ReactNode;
}

/**
 * Bars over periods, with the bands on top of each other, and the same as a table. Lengths are shares of the
 * height; every number that is read is written from the exact amount.
 */
export function PeriodBars({ title, periods, bands, write, children }: PeriodBarsProps) {
  const heading = useId();
  const top = roundUp(heightOf(bands));
  const points = periods.map((period, index) => ({
    period,
    index,
    shares: bands.map(({ amounts }) => shareOf(amounts[index] ?? 0n, top)),
  }));
  const used = points.filter(({ index }) => bands.some(({ amounts }) => amounts[index] !== 0n));
  return (
    <figure className={styles.chart} aria-labelledby={heading}>
      <figcaption id={heading}>
        <h3>{title}</h3>
        {bands.length > 1 && (
          <ul className={styles.legend}>
            {bands.map(({ name, label }, index) => (
              <li key={name}>
                <span className={styles.swatch} data-part={index + 1} aria-hidden="true" />
                {label}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      {children}
      {used.length === 0 ? (
        <Empty>Nothing in this time.</Empty>
      ) : (
        <>
          <div className={styles.low} aria-hidden="true">
            <ResponsiveContainer width="100%" height="100%">
              <BarChart data={points} accessibilityLayer={false} margin={{ top: 8, right: 8 }}>
                <CartesianGrid vertical={false} stroke="var(--line)" />
                <XAxis
                  dataKey="period"
                  minTickGap={30}
                  stroke="var(--line-strong)"
                  tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
                />
                <YAxis
                  domain={[0, 1]}
                  ticks={top % 2n === 0n ? [0, 0.5, 1] : [0, 1]}
                  tickFormatter={(share: number) => write((top * BigInt(share * 2)) / 2n)}
                  width="auto"
                  stroke="none"
                  tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
                />
                <Tooltip
                  isAnimationActive={false}
                  cursor={{ fill: 'var(--surface-sunken)' }}
                  content={({ payload }) => (
                    <PeriodTooltip
                      point={payload?.[0]?.payload}
                      periods={periods}
                      bands={bands}
                      write={write}
                    />
                  )}
                />
                {bands.map(({ name }, index) => (
                  <Bar
                    key={name}
                    dataKey={(point: (typeof points)[number]) => point.shares[index] ?? 0}
                    name={name}
                    stackId="all"
                    isAnimationActive={false}
                    fill={`var(--part-${index + 1})`}
                  />
                ))}
              </BarChart>
            </ResponsiveContainer>
          </div>
          <details className={styles.table}>
            <summary>
              The same as a table<span className="visually-hidden">: {title}</span>
            </summary>
            <DataTable
              caption={title}
              rows={used}
              rowKey={({ period }) => period}
              columns={[
                { name: 'Period', cell: ({ period }) => period },
                ...bands.map(({ label, amounts }) => ({
                  name: label,
                  numeric: true,
                  cell: ({ index }: { index: number }) => write(amounts[index] ?? 0n),
                })),
              ]}
            />
          </details>
        </>
      )}
    </figure>
  );
}

interface PeriodTooltipProps extends Pick<PeriodBarsProps, 'periods' | 'bands' | 'write'> {
  readonly point: unknown;
}

/** Tooltip with the amounts of the period under the pointer. */
function PeriodTooltip({ point, periods, bands, write }: PeriodTooltipProps) {
  const index =
    typeof point === 'object' && point !== null && 'index' in point ? Number(point.index) : -1;
  const period = periods[index];
  if (period === undefined) return null;
  return (
    <div className={styles.tooltip}>
      <p>{period}</p>
      {bands.map(({ name, label, amounts }, part) => (
        <p key={name}>
          <span className={styles.swatch} data-part={part + 1} />
          {label}: {write(amounts[index] ?? 0n)}
        </p>
      ))}
    </div>
  );
}
