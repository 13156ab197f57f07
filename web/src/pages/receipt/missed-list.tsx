import { Amount } from '../../components/amount.tsx';
import { Explain } from '../../components/explain.tsx';
import { countOf } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

const reasons = {
  SALE_CAP: 'the policy caps the reward of a single sale',
  LIABILITY_CAP: 'the campaign may owe no more than its cap',
  BUDGET: 'the vault had no more to give',
} as const;

/** Rewards that levels missed, and why. */
export function MissedList({ receipt: { missed, token, policy } }: { readonly receipt: Receipt }) {
  if (missed.length === 0) return <p className="soft">No level missed anything.</p>;
  const levels = countOf(policy.maxRewardedAncestors, 'level');
  return (
    <div>
      <h3>
        <Explain term="missed">Missed rewards</Explain>
      </h3>
      <ul className={styles.missed}>
        {missed.map(({ level, nodeId, reason, amount }) => (
          <li key={`${level} ${reason}`}>
            Level {level} (link {nodeId}) earned{' '}
            {amount === null ? 'nothing' : <Amount value={amount} token={token} />}
            {amount !== null && ' less'}:{' '}
            {reason === 'DEPTH' ? `this policy rewards ${levels}` : reasons[reason]}.
          </li>
        ))}
      </ul>
    </div>
  );
}
