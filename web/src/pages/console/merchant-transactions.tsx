import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SafeDownload } from '../../account/safe-download.tsx';
import { MINE } from '../../account/session.ts';
import { type PreviewedTransaction, SignTransactions } from '../../account/sign-transactions.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { useActing } from './acting.tsx';
import styles from './console.module.css';

interface Props {
  readonly transactions: readonly PreviewedTransaction[];
  /** Text of the button: `Refund`. */
  readonly name: string;
  readonly onSettled?: (() => unknown) | undefined;
  /** Shown once everything is settled. */
  readonly done?: ReactNode;
}

/**
 * Transactions that the merchant's wallet must sign. If a member of the team is signed in, they are shown to copy and
 * hand over, because the contract accepts them from the merchant's address only.
 */
export function MerchantTransactions({ transactions, name, onSettled, done }: Props) {
  const { merchant, signs } = useActing();
  const queries = useQueryClient();
  if (!signs) return <HandOver transactions={transactions} name={name} />;
  return (
    <SignTransactions
      transactions={transactions}
      address={merchant}
      name={name}
      done={done ?? <p role="status">Done.</p>}
      onSettled={async () => {
        await onSettled?.();
        await queries.invalidateQueries({ queryKey: [MINE] });
      }}
    />
  );
}

function HandOver({ transactions, name }: Pick<Props, 'transactions' | 'name'>) {
  const { merchant } = useActing();
  return (
    <div className="stack">
      <p>
        Only the merchant’s wallet can sign this. Pass it on to the owner of <code>{merchant}</code>
        :
      </p>
      <ol className={styles.list}>
        {transactions.map(({ description, chainId, to, data, value, simulation }) => {
          const text = JSON.stringify({ chainId, from: merchant, to, data, value }, null, 2);
          return (
            <li key={data} className="stack">
              <span>
                {description} <CopyButton text={text} label="transaction" />
              </span>
              {simulation.status === 'revert' && (
                <span className="issue">The contract would refuse it: {simulation.error}</span>
              )}
              <pre className={styles.code}>{text}</pre>
            </li>
          );
        })}
      </ol>
      <SafeDownload transactions={transactions} address={merchant} name={name} />
    </div>
  );
}
