import { Link } from 'wouter';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

/** The verdict about a receipt that this browser compared with a chain. */
export interface VerifiedReceipt {
  /** The receipt that was compared: the page may show a newer one by then. */
  readonly receipt: Receipt;
  /** The verdict as a sentence. */
  readonly title: string;
  readonly tone: 'good' | 'bad' | 'warn';
}

interface VerifiedProps {
  readonly shown: Receipt;
  readonly verified: VerifiedReceipt | undefined;
}

/** The verdict about the receipt that is shown; without one, that nothing was verified. */
export function Verified({ shown, verified }: VerifiedProps) {
  const isCurrent = verified?.receipt === shown;
  return (
    <p className={`${styles.verified} ${isCurrent ? styles[verified.tone] : ''}`}>
      <span>{isCurrent ? verified.title : verified ? CHANGED : UNVERIFIED}</span>
      <Link href="?tab=proof" onClick={showParts}>
        {isCurrent ? 'See the checks' : 'Verify it yourself'}
      </Link>
    </p>
  );
}

/** Brings the tabs into view, which a phone has below the amounts. */
function showParts(): void {
  document.getElementById('receipt-parts')?.scrollIntoView();
}

const UNVERIFIED = 'Not compared with the chain yet: this is what the service says.';
const CHANGED = 'It has changed since you verified it.';
