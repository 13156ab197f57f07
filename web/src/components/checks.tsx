import type { ReactNode } from 'react';
import { words } from '../format.ts';
import styles from './checks.module.css';
import { Panel } from './panel.tsx';

type Verdict = 'pass' | 'fail' | 'unavailable';

interface ShownCheck {
  readonly name: string;
  readonly status: Verdict;
  readonly message: string;
  readonly evidence: object;
}

interface ChecksProps {
  readonly verdict: Verdict;
  readonly checks: readonly ShownCheck[];
  /** Under the verdict: by whom, as of when. */
  readonly children?: ReactNode;
}

const verdicts = {
  pass: { title: 'Everything checks out', tone: 'good' },
  fail: { title: 'This receipt does not match the chain', tone: 'bad' },
  unavailable: { title: 'Not everything could be checked', tone: 'warn' },
} as const;

const marks = {
  pass: { sign: '✓', word: 'passed' },
  fail: { sign: '✗', word: 'failed' },
  unavailable: { sign: '?', word: 'not checked' },
} as const;

/** A verdict and the checks that it comes from, each with its evidence to unfold. */
export function Checks({ verdict, checks, children }: ChecksProps) {
  const { title, tone } = verdicts[verdict];
  return (
    <>
      <Panel tone={tone} title={title}>
        {children}
      </Panel>
      <ol className={styles.checks}>
        {checks.map(({ name, status, message, evidence }) => (
          <li key={name} className={`${styles.check} ${styles[status]}`} data-check={name}>
            <span className={styles.mark} aria-hidden="true">
              {marks[status].sign}
            </span>
            <div className={styles.text}>
              <h3>
                {words(name)} <span className={styles.word}>{marks[status].word}</span>
              </h3>
              <p>{message}</p>
              {Object.keys(evidence).length > 0 && (
                <details>
                  <summary>
                    Evidence<span className="visually-hidden"> of {words(name)}</span>
                  </summary>
                  <pre className={styles.evidence}>{JSON.stringify(evidence, null, 2)}</pre>
                </details>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
