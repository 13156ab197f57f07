import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { humanAmount, type Unit } from '../../format.ts';
import { issueAt } from '../../issues.ts';
import { amountProblem, parseAmount } from '../../parse-amount.ts';
import { useActing } from './acting.tsx';
import styles from './console.module.css';
import { Issue } from './issue.tsx';
import { Prepared } from './prepared.tsx';

type PreparedSale = DataOf<Client['operations']['refund']>;
type Input = Parameters<Client['operations']['refund']>[0];

interface Props {
  readonly kind: 'refund' | 'reverse';
  readonly saleId: string;
  readonly token: Unit;
  /** Base units that can still be refunded. */
  readonly left: bigint;
  /** Reason whose hash goes to the chain, if it is not the merchant's to choose. */
  readonly reason?: string;
}

const names = { refund: 'Refund', reverse: 'Reverse' } as const;

/** Prepares a refund or a reversal of a sale: a form, then its effects and the transaction to sign. */
export function SaleOperation({ kind, saleId, token, left, reason }: Props) {
  const { api } = useActing();
  const prepare = useMutation({
    mutationFn: async (input: Input) =>
      kind === 'refund'
        ? (await api.operations.refund(input)).data
        : (await api.operations.reverse(input)).data,
  });
  const prepared = prepare.data;
  const [isAmount, setIsAmount] = useState(true);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const why = reason ?? String(form.get('reason'));
    const amount = parseAmount(String(form.get('amount') ?? ''), token.decimals);
    const isValid = kind === 'reverse' || amount !== undefined;
    setIsAmount(isValid);
    if (!isValid) return;
    prepare.mutate({
      saleId,
      ...(why && { reason: why }),
      ...(amount !== undefined && { amount: String(amount) }),
    });
  }
  return (
    <div className="stack">
      <form className="stack" onSubmit={submit} noValidate>
        <div className={styles.fields}>
          {kind === 'refund' && (
            <Field
              id={`${kind}-amount`}
              name="amount"
              label={`Amount to refund, ${token.symbol}`}
              inputMode="decimal"
              defaultValue={humanAmount(left, token.decimals)}
              problem={isAmount ? issueAt(prepare.error, 'amount') : amountProblem(token.decimals)}
            />
          )}
          {reason === undefined && (
            <Field
              id={`${kind}-reason`}
              name="reason"
              label="Reason, for your records"
              hint="Only its hash goes to the chain. It may stay empty."
              maxLength={500}
              problem={issueAt(prepare.error, 'reason')}
            />
          )}
        </div>
        <div className={styles.row}>
          <Button type="submit" disabled={prepare.isPending}>
            Preview the {kind === 'refund' ? 'refund' : 'reversal'}
          </Button>
        </div>
        <Issue error={prepare.error} shownAt={['amount', 'reason']} />
      </form>
      {prepared && (
        <>
          <Prepared
            key={prepare.submittedAt}
            operation={prepared}
            token={token}
            name={names[kind]}
          />
          {prepared.status === 'needs_approval' && prepared.approval && (
            <Approval
              approval={prepared.approval}
              onSigned={(approval) =>
                prepare.variables && prepare.mutate({ ...prepare.variables, approval })
              }
            />
          )}
        </>
      )}
    </div>
  );
}

interface ApprovalProps {
  readonly approval: NonNullable<PreparedSale['approval']>;
  readonly onSigned: (approval: NonNullable<Input['approval']>) => void;
}

/** Typed data that the attester of the sale must sign before the merchant can, and a field for the signature. */
function Approval({ approval: { attester, typedData, deadline }, onSigned }: ApprovalProps) {
  const text = JSON.stringify(typedData, null, 2);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const signature = String(new FormData(event.currentTarget).get('signature')).trim();
    onSigned({ signature: signature as `0x${string}`, deadline });
  }
  return (
    <div className="stack">
      <p>
        The attester <code>{attester}</code> must sign this first, within 14 minutes. Hand over the
        typed data (EIP-712), and enter the signature. <CopyButton text={text} label="typed data" />
      </p>
      <pre className={styles.code}>{text}</pre>
      <form className="stack" onSubmit={submit}>
        <Field id="signature" name="signature" label="Signature of the attester" required />
        <div className={styles.row}>
          <Button type="submit">Continue</Button>
        </div>
      </form>
    </div>
  );
}
