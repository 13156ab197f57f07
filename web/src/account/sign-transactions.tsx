import type { ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { Hash } from '../components/hash.tsx';
import { Issue } from '../components/issue.tsx';
import styles from './account.module.css';
import { SafeDownload } from './safe-download.tsx';
import { type Progress, useTransactions } from './use-transactions.ts';
import type { UnsignedTransaction } from './wallet.ts';

/** A transaction with what the service says of it. */
export interface PreviewedTransaction extends UnsignedTransaction {
  readonly description: string;
  readonly simulation: {
    readonly status: 'success' | 'revert' | 'unavailable';
    readonly error: string | null;
  };
}

interface Props {
  readonly transactions: readonly PreviewedTransaction[];
  /** The account that signs. */
  readonly address: string;
  /** Text of the button: `Claim`. */
  readonly name: string;
  readonly onSettled?: (() => unknown) | undefined;
  /** Called with the index and the hash of each transaction that the wallet has sent. */
  readonly onSent?: (index: number, hash: `0x${string}`) => unknown;
  /** Called with true before the wallet is asked to do all in one step, and with false if it did not take them. */
  readonly onAsked?: ((mayBeTaken: boolean) => unknown) | undefined;
  /** Shown once everything is settled. */
  readonly done?: ReactNode;
}

const words: Readonly<Record<Progress['stage'], string>> = {
  signing: 'Waiting for your wallet…',
  taken: 'Your wallet does all steps in one. Waiting for a block…',
  sent: 'Sent. Waiting for a block…',
  mined: 'On the chain. It appears here in a moment…',
  settled: 'Done.',
};

/** Transactions to sign: what each does, whether the contract would accept it, and how far it has come. */
export function SignTransactions({
  transactions,
  address,
  name,
  onSettled,
  onSent,
  onAsked,
  done,
}: Props) {
  const { run, progress, hasWallet } = useTransactions(
    address,
    transactions,
    onSettled,
    onSent,
    onAsked,
  );
  const refused = transactions.some(({ simulation }) => simulation.status === 'revert');
  const List = transactions.length === 1 ? 'div' : 'ol';
  const Item = transactions.length === 1 ? 'div' : 'li';
  return (
    <div className={styles.step}>
      <List className={transactions.length === 1 ? undefined : styles.steps}>
        {transactions.map((one, i) => (
          <Item key={`${one.to}/${one.data}`} className={styles.step}>
            <span>{one.description}</span>
            {one.simulation.status === 'revert' && (
              <span className="issue">The contract would refuse it: {one.simulation.error}</span>
            )}
            <Stage progress={progress[i]} />
          </Item>
        ))}
      </List>
      {run.isSuccess ? (
        done
      ) : (
        <Button main disabled={refused || run.isPending || !hasWallet} onClick={() => run.mutate()}>
          {run.isPending ? 'In progress…' : name}
        </Button>
      )}
      {progress.length === 0 && !refused && (
        <SafeDownload transactions={transactions} address={address} name={name} />
      )}
      {!hasWallet && <p className="soft">This browser has no wallet to sign with.</p>}
      <Issue of={run.error} />
    </div>
  );
}

function Stage({ progress }: { readonly progress: Progress | undefined }) {
  if (progress === undefined) return null;
  return (
    <span className="soft" role="status">
      {words[progress.stage]}{' '}
      {'hash' in progress && <Hash value={progress.hash} label="transaction hash" />}
    </span>
  );
}
