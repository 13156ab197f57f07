import type { ReactNode } from 'react';
import styles from './list-tools.module.css';

/** Tools of a list in one row: saved filters at its beginning, and the file of its rows at its end. */
export function ListTools({ children }: { readonly children: ReactNode }) {
  return <div className={styles.tools}>{children}</div>;
}
