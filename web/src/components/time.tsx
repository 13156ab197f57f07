import { utcTime } from '../format.ts';
import styles from './values.module.css';

/** A moment, in UTC. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time className={styles.time} dateTime={at}>
      {utcTime(at)}
    </time>
  );
}
