import type { ReactNode } from 'react';
import styles from './state.module.css';

/** A text in place of a list without entries. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className={styles.empty}>{children}</p>;
}
