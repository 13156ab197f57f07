import { Amount } from '../../components/amount.tsx';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';

const reasons = {
  SALE_CAP: 'for the policy caps the reward of a single sale',
  LIABILITY_CAP: 'for the campaign may owe no more than its cap',
  BUDGET: 'for the vault had no more to give',
  DEPTH: 'for the policy rewards no level so far up',
} as const;

/** Rewards that levels missed, and why. */
export function MissedList({ receipt: { missed, token } }: { readonly receipt: Receipt }) {
  if (missed.length === 0) return <p className={styles.soft}>No level missed anything.</p>;
  return (
    <div>
      <h3>What was missed</h3>
      <ul className={styles.missed}>
        {missed.map(({ level, nodeId, reason, amount }) => (
          <li key={`${level} ${reason}`}>
            Level {level} (link {nodeId}) got{' '}
            {amount === null ? 'nothing' : <Amount value={amount} token={token} />}
            {amount !== null && ' less'}, {reasons[reason]}.
          </li>
        ))}
      </ul>
    </div>
  );
}
