import type { ReactNode } from 'react';
import type { api, DataOf } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { Hash } from '../../components/hash.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';

type Intent = DataOf<typeof api.checkout.getIntent>;
export type SignedOrder = NonNullable<Intent['order']>;

/** True while the service may still send a signed order, or has sent it, or a block has its sale. */
export function isUnderWay({ state }: SignedOrder): boolean {
  return state === 'waiting' || state === 'sent' || state === 'recorded';
}

const words: Readonly<Record<'waiting' | 'sent' | 'recorded', string>> = {
  waiting: 'Your signed order waits until the service sends it. Nothing is paid yet.',
  sent: 'The service has sent your order. Waiting for a block: nothing is paid before.',
  recorded: 'Your order is on the chain. Its receipt appears here in a moment.',
};

interface ProgressProps {
  readonly intent: Intent;
  readonly order: SignedOrder;
  /** A button that gives the order up. */
  readonly cancel: ReactNode;
}

/** How far a signed order has come. */
export function OrderProgress({ intent: { expiresAt }, order, cancel }: ProgressProps) {
  const { state, transactionHash } = order;
  if (state === 'refused' || state === 'expired') return null;
  return (
    <Card title="Payment">
      <div className="stack start">
        <div className="stack start" role="status">
          <p>{words[state]}</p>
          {transactionHash !== null && (
            <p>
              <Hash value={transactionHash} label="transaction hash" />
            </p>
          )}
        </div>
        <p className="soft">
          You can close this page and come back.
          {state === 'waiting' && (
            <>
              {' '}
              If it is not sent by <Time exact at={expiresAt} />, it has no effect.
            </>
          )}
        </p>
        {state === 'waiting' && cancel}
      </div>
    </Card>
  );
}

interface FailedProps {
  readonly title: string;
  /** A sentence. */
  readonly reason: string;
  /** End of what was signed, if others may have it. */
  readonly validUntil?: string;
}

/** Why a signed order came to nothing, above the other way to pay. */
export function OrderFailed({ title, reason, validUntil }: FailedProps) {
  return (
    <Panel title={title} tone="warn" role="status">
      <p>{reason} You can pay by a transaction of your own.</p>
      {validUntil !== undefined && (
        <p className="soft">
          What you signed is valid until <Time exact at={validUntil} />. However it is paid, this
          order is bought once at most.
        </p>
      )}
    </Panel>
  );
}
