import type { ReactNode } from 'react';
import { useTitle } from '../title.ts';
import styles from './page-head.module.css';

interface PageHeadProps {
  /** The page's name: its heading, and the tab's. */
  readonly title: string;
  /** A line above it: what kind of page it is. */
  readonly kind?: ReactNode;
  /** Next to it: what is done here first. */
  readonly action?: ReactNode;
  /** Under it: what it is about, and as of when. */
  readonly children?: ReactNode;
}

export function PageHead({ title, kind, action, children }: PageHeadProps) {
  useTitle(title);
  return (
    <header className={styles.head}>
      {kind !== undefined && <div className="soft">{kind}</div>}
      {action === undefined ? (
        <h1>{title}</h1>
      ) : (
        <div className={styles.row}>
          <h1>{title}</h1>
          {action}
        </div>
      )}
      {children}
    </header>
  );
}
