import type { CSSProperties } from 'react';
import styles from './state.module.css';

/** Usual height of a part, in rem: in a wide window and on a phone, where rows are cards. */
export type PartSize = readonly [wide: number, narrow: number];

/** Height of a line and of the gap below it, rem. */
const LINE_REM = 2.35;

interface LoadingProps {
  /** Name of what is loading, for those who hear the page: `the price`. */
  readonly what: string;
  /** Lines that it will take: what comes next on the page stays where it is. */
  readonly lines?: number | undefined;
  /** In place of the lines: its height, if that is known better. */
  readonly size?: PartSize | undefined;
}

/** The place of something that is loading, in its later size. */
export function Loading({ what, size, lines = size ? linesOf(size) : 3 }: LoadingProps) {
  const sizes =
    size && ({ '--wide': `${size[0]}rem`, '--narrow': `${size[1]}rem` } as CSSProperties);
  return (
    <div
      className={size ? `${styles.loading} ${styles.sized}` : styles.loading}
      style={sizes}
      role="status"
    >
      <span className="visually-hidden">Loading {what.replace(/^The /, 'the ')}…</span>
      {Array.from({ length: lines }, (_none, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <span key={i} className={styles.line} aria-hidden="true" />
      ))}
    </div>
  );
}

const linesOf = ([wide]: PartSize): number => Math.max(1, Math.floor(wide / LINE_REM));
