import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { ApiError } from '../../../engine/client/index.ts';
import { MINE } from '../account/use-session.ts';
import { api, type DataOf } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Issue } from '../components/issue.tsx';
import { SelectField } from '../components/select-field.tsx';
import { TextField } from '../components/text-field.tsx';
import { readAtMost } from '../read-input.ts';
import styles from './purchase.module.css';
import { type RefundRequest, refundReasons } from './refund-state.ts';

export type Purchase = DataOf<typeof api.receipts.forBuyer>['items'][number];

interface Fields {
  readonly reason: RefundRequest['reason'];
  readonly amount: string;
  readonly message: string;
}

/** Field names of the form that the API uses for the same fields. */
const fieldNames = ['reason', 'amount', 'message'] as const;

interface Props {
  readonly purchase: Purchase;
  readonly onDone: () => void;
}

/** A form in which a buyer asks the merchant for a refund. */
export function RequestRefund({ purchase, onDone }: Props) {
  const { chainId, saleId, token } = purchase;
  const id = useId();
  const queries = useQueryClient();
  const max = BigInt(purchase.amount) - BigInt(purchase.refundedTotal);
  const { register, handleSubmit, setError, formState } = useForm<Fields>({
    defaultValues: { reason: 'not_received', amount: '', message: '' },
  });
  const open = useMutation({
    mutationFn: ({ amount, ...fields }: Fields) =>
      api.disputes.open({ chainId, saleId, ...fields, ...amountOf(amount) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [MINE] });
      onDone();
    },
    onError: (error) => {
      const issues = error instanceof ApiError ? error.issues : [];
      for (const name of fieldNames) {
        const issue = issues.find(({ path }) => path === name);
        if (issue) setError(name, { message: `It ${issue.message}.` });
      }
    },
  });
  const amountOf = (text: string) => {
    if (text.trim() === '') return {};
    const read = readAtMost(text, token.decimals, max);
    return read.issue === undefined ? { amount: read.value.toString() } : {};
  };
  const { errors } = formState;
  return (
    <form
      className={styles.stack}
      noValidate
      onSubmit={(event) => void handleSubmit((fields) => open.mutate(fields))(event)}
    >
      <p>
        The merchant reads your request and decides. Up to <Amount value={max} token={token} /> can
        be refunded while the sale is on hold.
      </p>
      <SelectField
        id={`${id}-reason`}
        label="Reason"
        options={Object.entries(refundReasons)}
        {...register('reason')}
      />
      <Field
        id={`${id}-amount`}
        label={`Amount in ${token.symbol}`}
        hint="Leave it empty to ask for all of it."
        inputMode="decimal"
        autoComplete="off"
        problem={errors.amount?.message}
        {...register('amount', {
          validate: (text) =>
            text.trim() === '' || (readAtMost(text, token.decimals, max).issue ?? true),
        })}
      />
      <TextField
        id={`${id}-message`}
        label="Message to the merchant"
        rows={4}
        maxLength={2_000}
        problem={errors.message?.message}
        {...register('message', {
          validate: (text) => text.trim() !== '' || 'Say what is wrong, in a few words.',
        })}
      />
      <Button main type="submit" disabled={open.isPending}>
        {open.isPending ? 'Sending…' : 'Ask for the refund'}
      </Button>
      <Issue small of={open.error} />
    </form>
  );
}
