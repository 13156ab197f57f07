import styles from './state.module.css';

interface LoadingProps {
  /** Name of what is loading, for those who hear the page: `the price`. */
  readonly what: string;
  /** Lines that it will take: what comes next on the page stays where it is. */
  readonly lines?: number | undefined;
}

/** The place of something that is loading, in its later size. */
export function Loading({ what, lines = 3 }: LoadingProps) {
  return (
    <div className={styles.loading} role="status">
      <span className="visually-hidden">Loading {what.replace(/^The /, 'the ')}…</span>
      {Array.from({ length: lines }, (_none, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <span key={i} className={styles.line} aria-hidden="true" />
      ))}
    </div>
  );
}
