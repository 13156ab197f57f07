import { Link } from 'wouter';
import { Badge } from './badge.tsx';
import { Card } from './card.tsx';
import styles from './first-steps.module.css';

/** A step on the way from an empty page to the first money. */
interface FirstStep {
  readonly title: string;
  readonly text: string;
  /** Page of the step; none if there is nothing to do on a page yet. */
  readonly href?: string;
  readonly done?: boolean;
}

interface FirstStepsProps {
  readonly title: string;
  /** The outcome, as a sentence. */
  readonly why: string;
  readonly steps: readonly FirstStep[];
  /** Text of the button that leads to the first step which is not done; none if that step is on the page already. */
  readonly action?: string | undefined;
}

/** The way to begin, in place of an empty page: its steps, those that are done, and a button for the next one. */
export function FirstSteps({ title, why, steps, action }: FirstStepsProps) {
  const next = steps.find(({ done }) => done !== true);
  return (
    <Card title={title}>
      <div className="stack">
        <p>{why}</p>
        <ol className={styles.steps}>
          {steps.map(({ title: name, text, href, done = false }) => (
            <li key={name} className={done ? `${styles.step} ${styles.done}` : styles.step}>
              <span className={styles.title}>
                {href === undefined ? name : <Link href={href}>{name}</Link>}{' '}
                {done && <Badge tone="good">done</Badge>}
              </span>
              <span className="soft">{text}</span>
            </li>
          ))}
        </ol>
        {action !== undefined && next?.href !== undefined && (
          <Link className={styles.next} href={next.href}>
            {action}
          </Link>
        )}
      </div>
    </Card>
  );
}
