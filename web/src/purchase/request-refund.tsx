import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { MINE } from '../account/session.ts';
import { api, type DataOf } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { SelectField } from '../components/select-field.tsx';
import { TextField } from '../components/text-field.tsx';
import { inputOf, optional } from '../form-issues.ts';
import { checkedValue, readAtMost } from '../read-input.ts';
import { type RefundRequest, refundReasons } from './refund-state.ts';

export type Purchase = DataOf<typeof api.receipts.forBuyer>['items'][number];

interface Fields {
  readonly reason: RefundRequest['reason'];
  readonly amount: string;
  readonly message: string;
}

interface Props {
  readonly purchase: Purchase;
  readonly onDone: () => void;
}

/** A form in which a buyer asks the merchant for a refund. */
export function RequestRefund({ purchase, onDone }: Props) {
  const { chainId, saleId, token } = purchase;
  const queries = useQueryClient();
  const max = BigInt(purchase.amount) - BigInt(purchase.refundedTotal);
  const form = useForm<Fields>({
    defaultValues: { reason: 'not_received', amount: '', message: '' },
  });
  const read = (text: string) => readAtMost(text, token.decimals, max);
  async function ask({ amount, ...fields }: Fields) {
    const part = amount.trim() === '' ? undefined : String(checkedValue(read(amount)));
    await api.disputes.open({ chainId, saleId, ...fields, amount: part });
    await queries.invalidateQueries({ queryKey: [MINE] });
    onDone();
  }
  return (
    <Form form={form} onSubmit={ask} name="Ask for the refund" busy="Sending…">
      <p>
        The merchant reads your request and decides. Up to <Amount value={max} token={token} /> can
        be refunded while the sale is on hold.
      </p>
      <SelectField
        label="Reason"
        options={Object.entries(refundReasons)}
        {...inputOf(form, 'reason')}
      />
      <Field
        label={`Amount in ${token.symbol}`}
        hint="Leave it empty to ask for all of it."
        inputMode="decimal"
        autoComplete="off"
        {...inputOf(form, 'amount', optional(read))}
      />
      <TextField
        label="Message to the merchant"
        rows={4}
        maxLength={2_000}
        {...inputOf(form, 'message', (text) =>
          text.trim() === '' ? 'Say what is wrong, in a few words.' : undefined,
        )}
      />
    </Form>
  );
}
