import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** A name and what it is; those without a value are left out. */
export type FactLine = readonly [name: string, value: ReactNode];

/** Facts by their names, in as many columns as there is room for. */
export function Facts({ facts }: { readonly facts: readonly FactLine[] }) {
  return (
    <dl className={styles.facts}>
      {facts
        .filter(
          ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
        )
        .map(([name, value]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
