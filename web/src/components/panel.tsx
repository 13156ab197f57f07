import type { ReactNode } from 'react';
import styles from './state.module.css';

type Tone = 'plain' | 'good' | 'bad' | 'warn';

interface PanelProps {
  readonly title: string;
  readonly tone?: Tone;
  /** How a screen reader announces it: `alert` immediately, `status` when it pauses. */
  readonly role?: 'alert' | 'status';
  readonly children?: ReactNode;
}

/** A message in place of missing content. */
export function Panel({ title, tone = 'plain', role, children }: PanelProps) {
  return (
    <section className={`${styles.panel} ${styles[tone]}`} role={role} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
