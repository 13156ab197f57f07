import { useId } from 'react';
import { type Band, heightOf, roundUp } from '../../../charts/bands.ts';
import { BarPicture } from '../../../charts/bar-picture.tsx';
import styles from '../../../charts/charts.module.css';
import { Legend } from '../../../charts/legend.tsx';
import { DataTable } from '../../../components/data-table.tsx';

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

/** A bar for each day, and the same as a table. */
export function DayChart({ title, unit, days, bands, write }: DayChartProps) {
  const heading = useId();
  const height = heightOf(bands);
  // Counts below 4 would repeat their labels on four steps.
  const top = height < 4n ? 4n : roundUp(height);
  const labels = days.map((day) => day.slice(0, 10));
  return (
    <figure className={styles.chart} aria-labelledby={heading}>
      <figcaption id={heading}>
        <h3>{title}</h3>
        {bands.length > 1 && <Legend bands={bands} />}
      </figcaption>
      <div className={styles.canvas} aria-hidden="true">
        <BarPicture labels={labels} bands={bands} top={top} steps={4} write={write} />
      </div>
      <details className={styles.table}>
        <summary>The same as a table</summary>
        <DataTable
          caption={`${title}, ${unit}`}
          rows={labels.map((day, index) => ({ day, index }))}
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
