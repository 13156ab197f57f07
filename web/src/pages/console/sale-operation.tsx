import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf, Reply } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Field } from '../../components/field.tsx';
import { FieldRow, Form } from '../../components/form.tsx';
import { inputOf } from '../../form-issues.ts';
import { humanAmount, type Unit } from '../../format.ts';
import { amountIssue, parseAmount } from '../../parse-amount.ts';
import { useActing } from './acting.tsx';
import styles from './console.module.css';
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
  const [prepared, setPrepared] = useState<Reply<PreparedSale> & { readonly input: Input }>();
  const defaultValues = { amount: humanAmount(left, token.decimals), reason: reason ?? '' };
  const form = useForm({ defaultValues });
  async function prepare(input: Input) {
    const { refund, reverse } = api.operations;
    setPrepared({ input, ...(await (kind === 'refund' ? refund : reverse)(input)) });
  }
  const send = (values: typeof defaultValues) =>
    prepare({
      saleId,
      reason: values.reason || undefined,
      ...(kind === 'refund' && { amount: String(parseAmount(values.amount, token.decimals)) }),
    });
  const approval = prepared?.data.status === 'needs_approval' && prepared.data.approval;
  return (
    <div className="stack">
      <Form
        form={form}
        onSubmit={send}
        main={false}
        name={`Preview the ${kind === 'refund' ? 'refund' : 'reversal'}`}
      >
        <FieldRow>
          {kind === 'refund' && (
            <Field
              label={`Amount to refund, ${token.symbol}`}
              inputMode="decimal"
              {...inputOf(form, 'amount', (text) => amountIssue(text, token.decimals))}
              id={`${kind}-amount`}
            />
          )}
          {reason === undefined && (
            <Field
              label="Reason, for your records"
              hint="Only its hash goes to the chain. It may stay empty."
              maxLength={500}
              {...inputOf(form, 'reason')}
              id={`${kind}-reason`}
            />
          )}
        </FieldRow>
      </Form>
      {prepared && (
        // Each preview begins with no transaction signed.
        <Prepared
          key={prepared.meta.requestId}
          operation={prepared.data}
          token={token}
          name={names[kind]}
        />
      )}
      {prepared && approval && (
        <Approval
          approval={approval}
          onSigned={(signed) => prepare({ ...prepared.input, approval: signed })}
        />
      )}
    </div>
  );
}

interface ApprovalProps {
  readonly approval: NonNullable<PreparedSale['approval']>;
  readonly onSigned: (approval: NonNullable<Input['approval']>) => Promise<void>;
}

/** Typed data that the attester of the sale must sign before the merchant can, and a field for the signature. */
function Approval({ approval: { attester, typedData, deadline }, onSigned }: ApprovalProps) {
  const form = useForm({ defaultValues: { signature: '' } });
  const text = JSON.stringify(typedData, null, 2);
  return (
    <Form
      form={form}
      main={false}
      name="Continue"
      fieldOf={(path) => path.replace(/^approval[.]/, '')}
      onSubmit={({ signature }) =>
        onSigned({ signature: signature.trim() as `0x${string}`, deadline })
      }
    >
      <p>
        The attester <code>{attester}</code> must sign this first, within 14 minutes. Hand over the
        typed data (EIP-712), and enter the signature. <CopyButton text={text} label="typed data" />
      </p>
      <pre className={styles.code}>{text}</pre>
      <Field
        label="Signature of the attester"
        {...inputOf(form, 'signature', (typed) =>
          typed.trim() === '' ? 'Enter the signature.' : undefined,
        )}
      />
    </Form>
  );
}
