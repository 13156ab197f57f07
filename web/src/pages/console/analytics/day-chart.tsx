import { useId } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { DataTable } from '../../../components/data-table.tsx';
import styles from '../../campaign/charts/charts.module.css';
import { type Band, heightOf, roundUp, shareOf } from '../../campaign/charts/series.ts';

interface DayChartProps {
  readonly title: string;
  /** Unit of the numbers, for the table: `TUSD`, or `sales`. */
  readonly unit: string;
  /** Start of each day, ISO 8601. */
  readonly days: readonly string[];
  /** Parts of each bar, from the bottom. */
  readonly bands: readonly Band[];
  /** Writes a number of the bands. */
  readonly write: (amount: bigint) => string;
}

/** Steps of the axis, the bottom included. */
const STEPS = [0, 1, 2, 3, 4] as const;

/** A bar for each day, and the same as a table. Lengths are shares of the highest bar; every number is exact. */
export function DayChart({ title, unit, days, bands, write }: DayChartProps) {
  const heading = useId();
  const height = heightOf(bands);
  // Counts below 4 would repeat their labels on four steps.
  const top = height < 4n ? 4n : roundUp(height);
  const points = days.map((day, index) => ({
    day: day.slice(0, 10),
    index,
    shares: bands.map(({ amounts }) => shareOf(amounts[index] ?? 0n, top)),
  }));
  return (
    <figure className={styles.chart} aria-labelledby={heading}>
      <figcaption id={heading}>
        <h3>{title}</h3>
        {bands.length > 1 && (
          <ul className={styles.legend}>
            {bands.map(({ name, label }, part) => (
              <li key={name}>
                <span className={styles.swatch} data-part={part + 1} aria-hidden="true" />
                {label}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div className={styles.canvas} aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={points} accessibilityLayer={false} margin={{ top: 8, right: 8 }}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="day"
              minTickGap={32}
              stroke="var(--line-strong)"
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <YAxis
              domain={[0, 1]}
              ticks={STEPS.map((step) => step / 4)}
              tickFormatter={(share: number) => write((top * BigInt(Math.round(share * 4))) / 4n)}
              width="auto"
              stroke="none"
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: 'var(--surface-sunken)' }}
              content={({ label, payload }) => {
                const point: { index?: number } | undefined = payload?.[0]?.payload;
                if (point?.index === undefined) return null;
                const { index } = point;
                return (
                  <div className={styles.tooltip}>
                    <p>{label}</p>
                    {bands.map((band) => (
                      <p key={band.name}>
                        {band.label}: {write(band.amounts[index] ?? 0n)}
                      </p>
                    ))}
                  </div>
                );
              }}
            />
            {bands.map(({ name }, part) => (
              <Bar
                key={name}
                name={name}
                stackId="all"
                isAnimationActive={false}
                dataKey={({ shares }: (typeof points)[number]) => shares[part] ?? 0}
                fill={`var(--part-${part + 1})`}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      <details className={styles.table}>
        <summary>The same as a table</summary>
        <DataTable
          caption={`${title}, ${unit}`}
          rows={points}
          rowKey={({ day }) => day}
          columns={[
            { name: 'Day', cell: ({ day }) => day },
            ...bands.map(({ label, amounts }) => ({
              name: label,
              numeric: true,
              cell: ({ index }: { readonly index: number }) => write(amounts[index] ?? 0n),
            })),
          ]}
        />
      </details>
    </figure>
  );
}
