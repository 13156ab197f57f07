import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { mayBeSent } from '../../account/send-calls.ts';
import { MINE } from '../../account/session.ts';
import { SignTransactions } from '../../account/sign-transactions.tsx';
import { api, type DataOf } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Hash } from '../../components/hash.tsx';
import { Issue } from '../../components/issue.tsx';
import { Loading } from '../../components/loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { humanAmount } from '../../format.ts';
import { type Campaign, type Choice, checkoutPath } from '../../offer/use-offer.ts';
import { DetailsCard } from '../../purchase/details-card.tsx';
import { isUnderWay, OrderFailed, OrderProgress } from './order-progress.tsx';
import { Paid } from './paid.tsx';
import { SignOrder, useOffer } from './sign-order.tsx';
import { type Needs, useWalletCheck } from './use-wallet-check.ts';
import { WalletWarning } from './wallet-warning.tsx';

type Intent = DataOf<typeof api.checkout.getIntent>;

/** Milliseconds between two reads of a purchase that is not finished: the chain decides its state. */
const POLL_MS = 3_000;

interface Props {
  readonly intentId: string;
  readonly choice: Choice;
  /** The account that buys. */
  readonly address: string;
  readonly merchant: Campaign['merchant'];
}

/** A purchase that was begun, up to its receipt. */
export function Payment({ intentId, choice, address, merchant }: Props) {
  const query = useQuery({
    queryKey: [MINE, 'checkout.getIntent', intentId],
    queryFn: ({ signal }) => api.checkout.getIntent({ id: intentId }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.data.state === 'submitted' || state.data?.data.state === 'created'
        ? POLL_MS
        : false,
  });
  return (
    <Answered query={query} what="This purchase">
      {({ data }) => <Stage intent={data} choice={choice} address={address} merchant={merchant} />}
    </Answered>
  );
}

interface StageProps extends Omit<Props, 'intentId'> {
  readonly intent: Intent;
}

function Stage({ intent, choice, address, merchant }: StageProps) {
  const { state, saleId, failure, missingDetails } = intent;
  const details = <DetailsCard intent={intent} merchant={merchant.name} />;
  const again = <Link href={checkoutPath(choice)}>Begin a new purchase</Link>;
  switch (state) {
    case 'confirmed':
      return saleId === null ? null : (
        <>
          <Paid intent={intent} saleId={saleId} merchant={merchant} />
          {details}
        </>
      );
    case 'cancelled':
      return (
        <Panel title="This purchase was cancelled" role="status">
          <p>Nothing was paid for it. {again}</p>
        </Panel>
      );
    case 'expired':
      return (
        <Panel title="This purchase has expired" tone="warn" role="status">
          <p>
            It had to be paid by <Time exact at={intent.expiresAt} />, and was not. Nothing was
            paid. {again}
          </p>
        </Panel>
      );
    case 'failed':
      return (
        <Panel title="The payment failed" tone="bad" role="alert">
          <p>{failure ?? 'The contract refused the transaction.'} Nothing was paid for it.</p>
          <p>{again}</p>
        </Panel>
      );
    case 'created':
    case 'submitted':
      return (
        <>
          {details}
          {(missingDetails.length === 0 || state === 'submitted') && (
            <Unpaid intent={intent} choice={choice} address={address} />
          )}
        </>
      );
  }
}

/** A purchase that is not known to be paid: its ways to pay, or how far the payment has come. */
function Unpaid({ intent, choice, address }: Omit<StageProps, 'merchant'>) {
  const { id, order, transactions, expiresAt } = intent;
  const queries = useQueryClient();
  const reread = () => queries.invalidateQueries({ queryKey: [MINE] });
  // What is being signed must not change under the reader's hands.
  const [signing, setSigning] = useState<Intent['transactions']>();
  const steps = signing ?? transactions;
  const calls = steps.map(({ transaction }) => transaction);
  const [isDeclined, setDeclined] = useState(false);
  const isOffered =
    order === null &&
    signing === undefined &&
    steps.length > 0 &&
    !isDeclined &&
    // A wallet that has the transactions already goes on with them.
    !mayBeSent(address, calls);
  const offer = useOffer(id, isOffered);
  const [failure, setFailure] = useState<Error>();
  const cancel = <Cancel id={id} onDone={reread} />;
  if (signing === undefined && order !== null && isUnderWay(order)) {
    return <OrderProgress intent={intent} order={order} cancel={cancel} />;
  }
  if (steps.length === 0) return <Waiting intent={intent} />;
  if (offer === undefined) return <Loading what="The ways to pay" />;
  if (offer !== null) {
    return (
      <SignOrder
        intent={intent}
        offer={offer}
        choice={choice}
        address={address}
        onDecline={() => setDeclined(true)}
        onFailed={setFailure}
        cancel={cancel}
      />
    );
  }
  return (
    <>
      {order === null && failure !== undefined && !isDeclined && (
        <OrderFailed title="Paying with one signature did not work" reason={failure.message} />
      )}
      {order?.state === 'refused' && (
        <OrderFailed
          title="Your signed order was refused"
          reason={order.reason ?? 'It could not be sent.'}
          validUntil={expiresAt}
        />
      )}
      {order?.state === 'expired' && (
        <OrderFailed title="Your signed order has expired" reason="No block had it in time." />
      )}
      <Pay
        intent={intent}
        steps={steps}
        address={address}
        hasSent={signing !== undefined}
        onSent={() => setSigning(steps)}
      />
    </>
  );
}

interface PayProps {
  readonly intent: Intent;
  readonly steps: Intent['transactions'];
  readonly address: string;
  /** True once the wallet has sent the first transaction. */
  readonly hasSent: boolean;
  readonly onSent: () => void;
}

function Pay({ intent, steps, address, hasSent, onSent }: PayProps) {
  const { id, chainId, token, expiresAt } = intent;
  const needs: Needs = { chainId, address, token: token.address, amount: BigInt(intent.amount) };
  const { check, wallet, again } = useWalletCheck(needs);
  const queries = useQueryClient();
  const reread = () => queries.invalidateQueries({ queryKey: [MINE] });
  const attach = (index: number, transactionHash: `0x${string}`) => {
    onSent();
    if (steps[index]?.step !== 'BUY') return;
    // Without it the purchase is found by its order key, only later.
    api.checkout.attachTransaction({ id, transactionHash }).catch(() => undefined);
  };
  const calls = steps.map(({ transaction }) => transaction);
  // Cancelled here, the wallet could still pay, and the buyer would begin again.
  const [mayBePaid, setMayBePaid] = useState(() => mayBeSent(address, calls));
  const canPay = hasSent || check.kind === 'ready';
  return (
    <Card title="Payment">
      <div className="stack start">
        <p>
          {steps.length > 1
            ? 'Your wallet asks to let the contract take the price, and to buy: twice, or once if it can do both in one step.'
            : 'Your wallet asks once.'}{' '}
          The price is fixed until <Time exact at={expiresAt} />.
        </p>
        {!hasSent && (
          <WalletWarning
            check={check}
            needs={needs}
            token={token}
            wallet={wallet}
            onFixed={again}
          />
        )}
        {canPay && (
          <SignTransactions
            transactions={steps.map((one) => described(one, intent))}
            address={address}
            name={steps.length > 1 ? 'Approve and buy' : 'Buy'}
            onSent={attach}
            onAsked={setMayBePaid}
            onSettled={reread}
          />
        )}
        {!hasSent && !mayBePaid && <Cancel id={id} onDone={reread} />}
      </div>
    </Card>
  );
}

/** A step in the words of a buyer: the service’s own description names hashes and base units. */
function described({ step, transaction }: Intent['transactions'][number], intent: Intent) {
  const { decimals, symbol } = intent.token;
  const price = `${humanAmount(intent.amount, decimals)} ${symbol}`;
  const descriptions = {
    RESET_ALLOWANCE: `End the allowance of ${symbol} that the contract still has: this token requires it first.`,
    APPROVE: `Allow the contract to take ${price} for this purchase.`,
    BUY: `Pay ${price} at most, and get the receipt.`,
  } as const;
  return { ...transaction, description: descriptions[step] };
}

function Cancel({ id, onDone }: { readonly id: string; readonly onDone: () => unknown }) {
  const cancel = useMutation({
    mutationFn: () => api.intents.cancel({ id }),
    onSuccess: onDone,
  });
  return (
    <>
      <Button quiet disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel this purchase
      </Button>
      <Issue of={cancel.error} />
    </>
  );
}

/** Something may have been paid: the chain decides. */
function Waiting({ intent: { submitted } }: { readonly intent: Intent }) {
  return (
    <Card title="Payment">
      <div className="stack start" role="status">
        <p>
          A transaction was sent. This page shows the receipt once it is in a block and settled; you
          can close it and come back.
        </p>
        {submitted.map(({ hash, status }) => (
          <p key={hash}>
            <Hash value={hash} label="transaction hash" /> {status}
          </p>
        ))}
      </div>
    </Card>
  );
}
