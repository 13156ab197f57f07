import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { duration, groupDigits, percent, type Unit, words } from '../../format.ts';
import styles from './console.module.css';
import { MerchantTransactions } from './merchant-transactions.tsx';

/** An answer of `operations.*`. */
export type PreparedOperation = DataOf<Client['operations']['pause']>;

type Change = PreparedOperation['preview'][number];

interface Props {
  readonly operation: PreparedOperation;
  /** Token of the campaign. */
  readonly token: Unit;
  /** Text of the button that signs. */
  readonly name: string;
  readonly onSettled?: (() => unknown) | undefined;
}

/** A prepared operation: what it changes, what to know before signing, and the transactions to sign. */
export function Prepared({ operation, token, name, onSettled }: Props) {
  const { status, preview, warnings, reasons, transactions } = operation;
  return (
    <div className={styles.stack}>
      {status === 'in_effect' && <p role="status">This is in effect already: nothing to sign.</p>}
      {status === 'refused' && (
        <div role="alert">
          <p>The contract would refuse this now:</p>
          <ul className={styles.list}>
            {reasons.map(({ error, message }) => (
              <li key={error} className={styles.issue}>
                {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {warnings.length > 0 && (
        <ul className={styles.list}>
          {warnings.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      )}
      {preview.length > 0 && <Preview preview={preview} token={token} />}
      {transactions.length > 0 && (
        <MerchantTransactions
          transactions={transactions.map(({ transaction }) => transaction)}
          name={name}
          onSettled={onSettled}
        />
      )}
    </div>
  );
}

function Preview({ preview, token }: Pick<PreparedOperation, 'preview'> & { token: Unit }) {
  return (
    <DataTable
      caption="What changes"
      rows={preview}
      rowKey={({ subject, id, field }) => `${subject}/${id}/${field}`}
      columns={[
        { name: 'What changes', cell: ({ field }) => sentenceCase(words(lastPart(field))) },
        { name: 'Of', cell: (change) => <Subject change={change} /> },
        {
          name: 'Before',
          numeric: true,
          cell: ({ field, before }) => <Value field={field} value={before} token={token} />,
        },
        {
          name: 'After',
          numeric: true,
          cell: ({ field, after }) => <Value field={field} value={after} token={token} />,
        },
      ]}
    />
  );
}

function Subject({ change: { subject, id } }: { readonly change: Change }) {
  if (!id.startsWith('0x')) return `${subject} ${id}`;
  return (
    <>
      {subject} <AddressLink address={id} />
    </>
  );
}

/** Fields whose values are amounts, besides those of the ledgers. */
const amounts = [
  ...['price', 'perSaleCap', 'campaignLiabilityCap', 'refundedTotal'],
  ...['reserved', 'claimable', 'refunded', 'reversed'],
];

interface ValueProps {
  readonly field: string;
  readonly value: string | null;
  readonly token: Unit;
}

function Value({ field, value, token }: ValueProps) {
  if (value === null) return 'none';
  if (!/^\d+$/.test(value)) return words(value);
  if (field === 'commissionBps') return percent(BigInt(value));
  if (field === 'holdSeconds') return duration(Number(value));
  if (field.includes('Ledger.') || amounts.includes(field)) {
    return <Amount value={value} token={token} />;
  }
  return groupDigits(value);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
