import { countOf, duration, percent } from '../format.ts';
import styles from './next-policy.module.css';
import { Time } from './time.tsx';

interface Policy {
  readonly effectiveAt: string;
  readonly commissionBps: number;
  readonly maxRewardedAncestors: number;
  readonly holdSeconds: number;
  readonly excludesSelfReferral: boolean;
}

interface Props {
  readonly policy: Policy;
  /** How the reward is shared; by default, among how many levels. */
  readonly shares?: string;
}

/** The next scheduled version of a policy: later sales follow its terms. */
export function NextPolicy({ policy, shares }: Props) {
  const { effectiveAt, commissionBps, maxRewardedAncestors, holdSeconds } = policy;
  const { excludesSelfReferral } = policy;
  return (
    <p className={styles.change} role="note" aria-label="New terms">
      <strong>
        New terms <Time at={effectiveAt} />:
      </strong>{' '}
      {percent(commissionBps)} commission, shared{' '}
      {shares ? `as ${shares}` : `among ${countOf(maxRewardedAncestors, 'level')}`}, held for{' '}
      {duration(holdSeconds)}. Self-referral is {excludesSelfReferral ? 'excluded' : 'allowed'}.
    </p>
  );
}
