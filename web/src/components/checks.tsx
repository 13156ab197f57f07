import type { ReactNode } from 'react';
import { readable } from '../../../engine/verify/readable.ts';
import { type Unit, words } from '../format.ts';
import styles from './checks.module.css';
import { Evidence } from './evidence.tsx';
import { Panel } from './panel.tsx';

type Verdict = 'pass' | 'fail' | 'unavailable' | 'outdated';

interface ShownCheck {
  readonly name: string;
  readonly status: Exclude<Verdict, 'outdated'>;
  readonly message: string;
  readonly evidence: object;
}

interface ChecksProps {
  /** Name of the checked thing, as the subject of a sentence: `This receipt`. */
  readonly what: string;
  readonly verdict: Verdict;
  readonly checks: readonly ShownCheck[];
  /** Token of the amounts in messages and evidence, if it is known. */
  readonly token?: Unit | undefined;
  /** Why nothing could be checked: then no check is listed, because each would say the same. */
  readonly reason?: string | null;
  /** In place of the verdict. */
  readonly title?: { readonly text: string; readonly tone: 'warn' | 'bad' } | undefined;
  /** Under the verdict: by whom, as of when. */
  readonly children?: ReactNode;
}

const tones = { pass: 'good', fail: 'bad', unavailable: 'warn', outdated: 'warn' } as const;
const titles = {
  pass: 'matches the chain',
  fail: 'does not match the chain',
  unavailable: 'could not be checked completely',
  outdated: 'is old',
} as const;

/** The verdict about something as a sentence, and its tone. */
export function verdictTitle(what: string, verdict: Verdict, reason: string | null) {
  return reason === null
    ? { text: `${what} ${titles[verdict]}`, tone: tones[verdict] }
    : { text: `${what} could not be checked`, tone: 'warn' as const };
}

const marks = {
  pass: { sign: '✓', word: 'passed' },
  fail: { sign: '✗', word: 'failed' },
  unavailable: { sign: '?', word: 'not checked' },
} as const;

/** A verdict and the checks that it comes from, each with its evidence to unfold. */
export function Checks(props: ChecksProps) {
  const { what, verdict, checks, token, reason = null, children } = props;
  const { title = verdictTitle(what, verdict, reason) } = props;
  if (reason !== null) {
    return (
      <Panel tone={title.tone} title={title.text}>
        <p>{readable(reason, token)}</p>
        {children}
      </Panel>
    );
  }
  return (
    <>
      <Panel tone={title.tone} title={title.text}>
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
              <p>{readable(message, token)}</p>
              {Object.keys(evidence).length > 0 && (
                <details>
                  <summary>
                    Evidence<span className="visually-hidden"> of {words(name)}</span>
                  </summary>
                  <Evidence evidence={evidence} token={token} />
                </details>
              )}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
