import type { ReactNode } from 'react';
import type { Unit } from '../../format.ts';
import styles from './console.module.css';
import { MerchantTransactions } from './merchant-transactions.tsx';
import type { PreparedOperation } from './operation.ts';
import { Preview } from './preview.tsx';
import { readable } from './readable.ts';

interface Props {
  readonly operation: PreparedOperation;
  /** Token of the campaign. */
  readonly token: Unit;
  /** Text of the button that signs. */
  readonly name: string;
  readonly onSettled?: (() => unknown) | undefined;
  /** Shown once everything is settled. */
  readonly done?: ReactNode;
}

/** A prepared operation: what it changes, what to know before signing, and the transactions to sign. */
export function Prepared({ operation, token, name, onSettled, done }: Props) {
  const { status, preview, warnings, reasons, transactions } = operation;
  return (
    <div className="stack">
      {status === 'in_effect' && <p role="status">This is in effect already: nothing to sign.</p>}
      {status === 'refused' && (
        <div role="alert">
          <p>The contract would refuse this now:</p>
          <ul className={styles.list}>
            {reasons.map(({ error, message }) => (
              <li key={error} className="issue">
                {readable(message, token)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {warnings.length > 0 && (
        <ul className={styles.list}>
          {warnings.map(({ code, message }) => (
            <li
              key={`${code}/${message}`}
              className={code === 'BUDGET' ? undefined : styles.warning}
            >
              {readable(message, token)}
            </li>
          ))}
        </ul>
      )}
      <Preview changes={preview} token={token} />
      {transactions.length > 0 && (
        <MerchantTransactions
          transactions={transactions.map(({ transaction }) => ({
            ...transaction,
            description: readable(transaction.description, token),
          }))}
          name={name}
          onSettled={onSettled}
          done={done}
        />
      )}
    </div>
  );
}
