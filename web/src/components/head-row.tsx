import type { ReactNode } from 'react';
import styles from './page-head.module.css';

/** A line under a page’s heading: what it is about on the left, what can be done on the right. */
export function HeadRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}
