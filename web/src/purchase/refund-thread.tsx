import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { MINE } from '../account/use-session.ts';
import { api, useApi } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Answered } from '../components/answered.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Facts } from '../components/facts.tsx';
import { Issue } from '../components/issue.tsx';
import { TextField } from '../components/text-field.tsx';
import { Time } from '../components/time.tsx';
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

/** A message to the merchant, and taking the request back. */
function Answer({ request: { id, status } }: { readonly request: RefundRequest }) {
  const fieldId = useId();
  const [message, setMessage] = useState('');
  const queries = useQueryClient();
  const onSuccess = async () => {
    setMessage('');
    await queries.invalidateQueries({ queryKey: [MINE] });
  };
  const respond = useMutation({
    mutationFn: () => api.refundRequests.respond({ id, message }),
    onSuccess,
  });
  const withdraw = useMutation({
    mutationFn: () => api.refundRequests.withdraw({ id }),
    onSuccess,
  });
  const isBusy = respond.isPending || withdraw.isPending;
  const error = respond.error ?? withdraw.error;
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        respond.mutate();
      }}
    >
      <TextField
        id={fieldId}
        label="Message to the merchant"
        maxLength={2_000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <div className="actions">
        <Button type="submit" disabled={isBusy || message.trim() === ''}>
          Send the message
        </Button>
        {status !== 'withdrawn' && (
          <Button disabled={isBusy} onClick={() => withdraw.mutate()}>
            Withdraw the request
          </Button>
        )}
      </div>
      <Issue small of={error} />
    </form>
  );
}
