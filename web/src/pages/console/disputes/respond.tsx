import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../../../../../engine/client/index.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { Field } from '../../../components/field.tsx';
import { TextField } from '../../../components/text-field.tsx';
import { humanAmount } from '../../../format.ts';
import { issueAt } from '../../../issues.ts';
import { amountProblem, parseAmount } from '../../../parse-amount.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { ForRole } from '../for-role.tsx';
import { Issue } from '../issue.tsx';
import { MerchantTransactions } from '../merchant-transactions.tsx';
import { SaleOperation } from '../sale-operation.tsx';
import type { Dispute } from './words.tsx';

type Response = Parameters<Client['disputes']['respond']>[0];
type Answer = Response['response'];

const answers: readonly (readonly [Answer, string])[] = [
  ['accept', 'Accept and refund'],
  ['decline', 'Decline'],
  ['message', 'Only write a message'],
];

/** The answer to a refund request; an accepted one continues with the refund to sign. */
export function Respond({ dispute }: { readonly dispute: Dispute }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const respond = useMutation({
    mutationFn: async (response: Response) => (await api.disputes.respond(response)).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  const { status, closedAt } = dispute;
  if (closedAt !== null || status === 'withdrawn') {
    return (
      <Card title="Your answer">
        <p>The request is closed: there is nothing to answer.</p>
      </Card>
    );
  }
  const accepted = respond.data?.dispute.status === 'accepted' ? respond.data : undefined;
  return (
    <Card title={status === 'accepted' ? 'The refund' : 'Your answer'}>
      <ForRole needs="admin">
        {status === 'accepted' ? (
          <Refund dispute={dispute} accepted={accepted} respond={respond} />
        ) : (
          <AnswerForm dispute={dispute} respond={respond} />
        )}
      </ForRole>
    </Card>
  );
}

type Accepted = Awaited<ReturnType<Client['disputes']['respond']>>['data'];

interface RespondProps {
  readonly dispute: Dispute;
  readonly respond: {
    readonly mutate: (response: Response) => void;
    readonly isPending: boolean;
    readonly error: Error | null;
  };
}

/** The refund of an accepted request: the transaction to sign, or what its attester must sign first. */
function Refund({
  dispute,
  accepted,
  respond,
}: RespondProps & { readonly accepted: Accepted | undefined }) {
  const { id, saleId, token, acceptedAmount, requestedAmount } = dispute;
  const amount = acceptedAmount ?? requestedAmount;
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
    <div className="stack">
      {accepted ? (
        <p role="status">The chain has the refund already. It appears here once it is settled.</p>
      ) : (
        <p>You accepted the request. It is done once your wallet has signed the refund.</p>
      )}
      <div className={styles.row}>
        <Button
          main
          disabled={respond.isPending}
          onClick={() => respond.mutate({ id, response: 'accept', amount })}
        >
          Prepare the refund
        </Button>
      </div>
      <Issue error={respond.error} />
    </div>
  );
}

function AnswerForm({ dispute, respond }: RespondProps) {
  const { id, token, requestedAmount } = dispute;
  const [answer, choose] = useState<Answer>('accept');
  const [isAmount, setIsAmount] = useState(true);
  const { error } = respond;
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const amount = parseAmount(text('amount'), token.decimals);
    const isValid = answer !== 'accept' || amount !== undefined;
    setIsAmount(isValid);
    if (!isValid) return;
    respond.mutate({
      id,
      response: answer,
      ...(amount !== undefined && { amount: String(amount) }),
      ...(answer === 'decline' && { reason: text('reason') }),
      ...((text('message') !== '' || answer === 'message') && { message: text('message') }),
    });
  }
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <fieldset className={styles.choices}>
        <legend>What do you answer?</legend>
        {answers.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="answer"
              value={value}
              checked={answer === value}
              onChange={() => choose(value)}
            />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      {answer === 'accept' && (
        <Field
          id="amount"
          name="amount"
          label={`Amount to refund, ${token.symbol}`}
          hint="The buyer asked for this amount. You can refund less."
          inputMode="decimal"
          defaultValue={humanAmount(requestedAmount, token.decimals)}
          problem={isAmount ? issueAt(error, 'amount') : amountProblem(token.decimals)}
        />
      )}
      {answer === 'decline' && (
        <TextField
          id="reason"
          name="reason"
          label="Why you decline"
          hint="The buyer reads it. At most 500 characters."
          maxLength={500}
          problem={issueAt(error, 'reason')}
        />
      )}
      <TextField
        id="message"
        name="message"
        label={answer === 'message' ? 'Message to the buyer' : 'Message to the buyer (optional)'}
        maxLength={2_000}
        problem={issueAt(error, 'message')}
      />
      <div className={styles.row}>
        <Button type="submit" main disabled={respond.isPending}>
          {answer === 'message' ? 'Send' : answer === 'accept' ? 'Accept' : 'Decline'}
        </Button>
      </div>
      <Issue error={error} shownAt={['amount', 'reason', 'message']} />
    </form>
  );
}
