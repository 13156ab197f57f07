import styles from './state.module.css';

/** A spinner with the name of what is loading. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p className={styles.loading} role="status">
      <span className={styles.spinner} aria-hidden="true" />
      Loading {what}…
    </p>
  );
}
