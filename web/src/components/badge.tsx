import type { ReactNode } from 'react';
import styles from './values.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** A word that names a state; its colour says no more than the word. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}
