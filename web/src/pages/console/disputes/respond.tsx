import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { Choices, Form } from '../../../components/form.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { inputOf } from '../../../form-issues.ts';
import { humanAmount } from '../../../format.ts';
import { amountIssue, parseAmount } from '../../../parse-amount.ts';
import { useActing } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import { SaleOperation } from '../sale-operation.tsx';
import type { Dispute } from './words.tsx';

type Response = Parameters<Client['disputes']['respond']>[0];
type Answer = Response['response'];
type Reply = DataOf<Client['disputes']['respond']>;

const answers: readonly (readonly [Answer, string])[] = [
  ['accept', 'Accept and refund'],
  ['decline', 'Decline'],
  ['message', 'Only write a message'],
];

/** The answer to a refund request; an accepted one continues with the refund to sign. */
export function Respond({ dispute }: { readonly dispute: Dispute }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [reply, setReply] = useState<Reply>();
  const { status, closedAt } = dispute;
  if (closedAt !== null || status === 'withdrawn') {
    return (
      <Card title="Your answer">
        <p>The request is closed: there is nothing to answer.</p>
      </Card>
    );
  }
  async function send(response: Response) {
    setReply((await api.disputes.respond(response)).data);
    await queries.invalidateQueries({ queryKey: key });
  }
  const accepted = reply?.dispute.status === 'accepted' ? reply : undefined;
  return (
    <Card title={status === 'accepted' ? 'The refund' : 'Your answer'}>
      <ForRole needs="admin">
        {status === 'accepted' ? (
          <Refund dispute={dispute} accepted={accepted} send={send} />
        ) : (
          <AnswerForm dispute={dispute} send={send} />
        )}
      </ForRole>
    </Card>
  );
}

interface RespondProps {
  readonly dispute: Dispute;
  readonly send: (response: Response) => Promise<void>;
}

/** The refund of an accepted request: the transaction to sign, or what its attester must sign first. */
function Refund({
  dispute,
  accepted,
  send,
}: RespondProps & { readonly accepted: Reply | undefined }) {
  const { id, saleId, token, acceptedAmount, requestedAmount } = dispute;
  const amount = acceptedAmount ?? requestedAmount;
  const form = useForm();
  if (accepted?.transaction) {
    return <MerchantTransactions transactions={[accepted.transaction]} name="Refund the buyer" />;
  }
  if (accepted?.approval) {
    return (
      <SaleOperation
        kind="refund"
        saleId={saleId}
        token={token}
        left={BigInt(accepted.approval.amount)}
        reason={id}
      />
    );
  }
  return (
    <Form
      form={form}
      onSubmit={() => send({ id, response: 'accept', amount })}
      name="Prepare the refund"
    >
      {accepted ? (
        <p role="status">The chain has the refund already. It appears here once it is settled.</p>
      ) : (
        <p>You accepted the request. It is done once your wallet has signed the refund.</p>
      )}
    </Form>
  );
}

const buttons: Readonly<Record<Answer, string>> = {
  accept: 'Accept',
  decline: 'Decline',
  message: 'Send',
};

function AnswerForm({ dispute, send }: RespondProps) {
  const { id, token, requestedAmount } = dispute;
  const { decimals } = token;
  const defaultValues = {
    answer: 'accept' as Answer,
    amount: humanAmount(requestedAmount, decimals),
    reason: '',
    message: '',
  };
  const form = useForm({ defaultValues });
  const answer = form.watch('answer');
  async function respond({ amount, reason, message }: typeof defaultValues) {
    const text = message.trim();
    await send({
      id,
      response: answer,
      ...(answer === 'accept' && { amount: String(parseAmount(amount, decimals)) }),
      ...(answer === 'decline' && { reason: reason.trim() }),
      ...((text !== '' || answer === 'message') && { message: text }),
    });
  }
  return (
    <Form form={form} onSubmit={respond} name={buttons[answer]}>
      <Choices title="What do you answer?" options={answers} {...form.register('answer')} />
      {answer === 'accept' && (
        <Field
          label={`Amount to refund, ${token.symbol}`}
          hint="The buyer asked for this amount. You can refund less."
          inputMode="decimal"
          {...inputOf(form, 'amount', (text) => amountIssue(text, decimals))}
        />
      )}
      {answer === 'decline' && (
        <TextField
          label="Why you decline"
          hint="The buyer reads it. At most 500 characters."
          maxLength={500}
          {...inputOf(form, 'reason')}
        />
      )}
      <TextField
        label={answer === 'message' ? 'Message to the buyer' : 'Message to the buyer (optional)'}
        maxLength={2_000}
        {...inputOf(form, 'message')}
      />
    </Form>
  );
}
