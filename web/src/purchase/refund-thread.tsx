import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { MINE } from '../account/session.ts';
import { api, useApi } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Answered } from '../components/answered.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Facts } from '../components/facts.tsx';
import { Form } from '../components/form.tsx';
import { TextField } from '../components/text-field.tsx';
import { Time } from '../components/time.tsx';
import { inputOf, sending } from '../form-issues.ts';
import styles from './purchase.module.css';
import { type RefundRequest, refundReasons, refundStates } from './refund-state.ts';

/** A refund request of the caller: its state, its messages, and what the buyer can do. */
export function RefundThread({ id }: { readonly id: string }) {
  const query = useApi([MINE, 'refundRequests.get'], api.refundRequests.get, { id });
  return (
    <Answered query={query} what="The refund request">
      {({ data }) => <Thread request={data} />}
    </Answered>
  );
}

function Thread({ request }: { readonly request: RefundRequest }) {
  const { status, token, acceptedAmount, declineReason } = request;
  const { name, tone } = refundStates[status];
  return (
    <div className={styles.stack}>
      <p>
        <Badge tone={tone}>{name}</Badge>
      </p>
      <Facts
        facts={[
          ['Requested', <Amount key="asked" value={request.requestedAmount} token={token} />],
          [
            'Accepted',
            acceptedAmount && <Amount key="accepted" value={acceptedAmount} token={token} />,
          ],
          ['Refunded so far', <Amount key="paid" value={request.refundedTotal} token={token} />],
          ['Reason', refundReasons[request.reason]],
          ['Asked', <Time key="asked-at" at={request.openedAt} />],
          ['The hold ends', <Time key="until" at={request.respondBy} />],
        ]}
      />
      {declineReason !== null && (
        <p>
          <strong>The merchant declined it: </strong>
          {declineReason}
        </p>
      )}
      {status === 'accepted' && (
        <p>The merchant accepted it. The contract pays you once the merchant has sent it.</p>
      )}
      <ul className={styles.messages}>
        {request.messages.map(({ id, from, text, at }) => (
          <li key={id}>
            <span className="soft">
              {from === 'buyer' ? 'You' : 'The merchant'}, <Time at={at} />
            </span>
            <br />
            {text}
          </li>
        ))}
      </ul>
      {request.closedAt === null && <Answer request={request} />}
    </div>
  );
}

/** A message to the merchant, and the withdrawal of the request. */
function Answer({ request: { id, status } }: { readonly request: RefundRequest }) {
  const fieldId = useId();
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { message: '' } });
  const { isSubmitting } = form.formState;
  const changing = (change: (message: string) => Promise<unknown>) => async () => {
    await change(form.getValues('message'));
    form.reset();
    await queries.invalidateQueries({ queryKey: [MINE] });
  };
  const respond = changing((message) => api.refundRequests.respond({ id, message }));
  const withdraw = changing(() => api.refundRequests.withdraw({ id }));
  return (
    <Form
      form={form}
      onSubmit={respond}
      name="Send the message"
      main={false}
      disabled={form.watch('message').trim() === ''}
      aside={
        status !== 'withdrawn' && (
          <Button disabled={isSubmitting} onClick={() => void sending(form, withdraw)()}>
            Withdraw the request
          </Button>
        )
      }
    >
      <TextField
        label="Message to the merchant"
        maxLength={2_000}
        {...inputOf(form, 'message')}
        id={fieldId}
      />
    </Form>
  );
}
