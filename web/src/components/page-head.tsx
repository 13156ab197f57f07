import type { ReactNode } from 'react';
import { useTitle } from '../title.ts';
import styles from './page-head.module.css';

interface PageHeadProps {
  /** The page's name: its heading, and the tab's. */
  readonly title: string;
  /** A line above it: what kind of page it is. */
  readonly kind?: ReactNode;
  /** Under it: what it is about, and as of when. */
  readonly children?: ReactNode;
}

export function PageHead({ title, kind, children }: PageHeadProps) {
  useTitle(title);
  return (
    <header className={styles.head}>
      {kind !== undefined && <div className="soft">{kind}</div>}
      <h1>{title}</h1>
      {children}
    </header>
  );
}
