import type { ReactNode } from 'react';
import styles from './receipt.module.css';

interface StepProps {
  readonly name: ReactNode;
  readonly formula: string;
  readonly note?: ReactNode;
  readonly result: ReactNode;
}

/** A line of the arithmetic: what it is, how it is computed, what comes out. */
export function Step({ name, formula, note, result }: StepProps) {
  return (
    <li className={styles.step}>
      <div>
        <div>{name}</div>
        {formula !== '' && <code>{formula}</code>}
        {note && <div className="soft">{note}</div>}
      </div>
      <div className={styles.result}>{result}</div>
    </li>
  );
}
