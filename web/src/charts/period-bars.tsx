import { type ReactNode, useId } from 'react';
import { DataTable } from '../components/data-table.tsx';
import { Empty } from '../components/empty.tsx';
import { type Band, heightOf, roundUp } from './bands.ts';
import { BarPicture } from './bar-picture.tsx';
import styles from './charts.module.css';
import { Legend } from './legend.tsx';

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

/** Bars over periods, and the periods that have anything as a table. */
export function PeriodBars({ title, periods, bands, write, children }: PeriodBarsProps) {
  const heading = useId();
  const top = roundUp(heightOf(bands));
  const used = periods
    .map((period, index) => ({ period, index }))
    .filter(({ index }) => bands.some(({ amounts }) => amounts[index] !== 0n));
  return (
    <figure className={styles.chart} aria-labelledby={heading}>
      <figcaption id={heading}>
        <h3>{title}</h3>
        {bands.length > 1 && <Legend bands={bands} />}
      </figcaption>
      {children}
      {used.length === 0 ? (
        <Empty>Nothing in this time.</Empty>
      ) : (
        <>
          <div className={styles.low} aria-hidden="true">
            <BarPicture
              labels={periods}
              bands={bands}
              top={top}
              steps={top % 2n === 0n ? 2 : 1}
              write={write}
            />
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
