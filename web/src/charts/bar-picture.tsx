import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { colourOf } from '../buckets.ts';
import { type Band, shareOf } from './bands.ts';
import styles from './charts.module.css';
import { Swatch } from './legend.tsx';

/** Numbers of the bands at one place of the horizontal axis. */
interface Point {
  readonly label: string;
  readonly index: number;
}

interface BarPictureProps {
  /** Names under the bars: `2026-01-31`. */
  readonly labels: readonly string[];
  /** Parts of each bar, from the bottom. */
  readonly bands: readonly Band[];
  /** Amount at the top of the picture. */
  readonly top: bigint;
  /** Steps of the vertical axis. */
  readonly steps: number;
  /** Writes a number of the bands. */
  readonly write: (amount: bigint) => string;
}

/**
 * Bars with the bands on top of each other, as large as its place. Lengths are shares of the height; every number
 * that is read is written from the exact amount.
 */
export function BarPicture({ labels, bands, top, steps, write }: BarPictureProps) {
  const points: readonly Point[] = labels.map((label, index) => ({ label, index }));
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart data={[...points]} accessibilityLayer={false} margin={{ top: 8, right: 8 }}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="label"
          minTickGap={32}
          stroke="var(--line-strong)"
          tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
        />
        <YAxis
          domain={[0, 1]}
          ticks={Array.from({ length: steps + 1 }, (_, step) => step / steps)}
          tickFormatter={(share: number) =>
            write((top * BigInt(Math.round(share * steps))) / BigInt(steps))
          }
          width="auto"
          stroke="none"
          tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--surface-sunken)' }}
          content={({ payload }) => {
            const point: Point | undefined = payload?.[0]?.payload;
            if (point === undefined) return null;
            return (
              <div className={styles.tooltip}>
                <p>{point.label}</p>
                {bands.map(({ name, label, amounts }) => (
                  <p key={name}>
                    <Swatch name={name} />
                    {label}: {write(amounts[point.index] ?? 0n)}
                  </p>
                ))}
              </div>
            );
          }}
        />
        {bands.map(({ name, amounts }) => (
          <Bar
            key={name}
            name={name}
            stackId="all"
            isAnimationActive={false}
            dataKey={({ index }: Point) => shareOf(amounts[index] ?? 0n, top)}
            fill={colourOf(name)}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
