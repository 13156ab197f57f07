import { lazy, Suspense, useState } from 'react';
import type { Reply } from '../../api.ts';
import { Card, Cards } from '../../components/card.tsx';
import { Loading } from '../../components/loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { Parts } from '../../components/parts.tsx';
import type { Receipt } from './arithmetic.ts';
import { Discrepancies } from './discrepancies.tsx';
import { Hold } from './hold.tsx';
import { useLiveReceipt } from './live.ts';
import styles from './receipt.module.css';
import { Rewards } from './rewards.tsx';
import { Summary } from './summary.tsx';
import { Timeline } from './timeline.tsx';
import type { VerifiedReceipt } from './verified.tsx';
import { WhyThisAmount } from './why.tsx';

/** Loaded while the amounts are read: it brings the code of wallets and RPCs. */
const VerifyHere = lazy(async () => ({
  default: (await import('./verify/verify-here.tsx')).VerifyHere,
}));

/** Loaded meanwhile, too: no amount depends on it. */
const Details = lazy(async () => ({ default: (await import('./details.tsx')).Details }));

interface ReceiptViewProps {
  /** The sale of the page's address. */
  readonly asked: { readonly chainId: number; readonly saleId: string };
  readonly reply: Reply<Receipt>;
  readonly queryKey: readonly unknown[];
}

/** The receipt, and what changes of it while it is looked at. */
export function ReceiptView({ asked, reply, queryKey }: ReceiptViewProps) {
  const { data: receipt, meta } = reply;
  const live = useLiveReceipt(receipt, queryKey);
  const [verified, setVerified] = useState<VerifiedReceipt>();
  return (
    <>
      <Summary receipt={receipt} meta={meta} connection={live.connection} verified={verified} />
      <p className="visually-hidden" role="status">
        {live.news}
      </p>
      <div className="stack" id="receipt-parts">
        {live.removed !== undefined && (
          <Panel tone="bad" role="alert" title="A reorg changed this receipt">
            <p>{live.removed}</p>
          </Panel>
        )}
        <Discrepancies receipt={receipt} />
        <Parts
          label="Receipt"
          start={startOf(location.hash)}
          parts={[
            {
              id: 'why',
              title: 'Why this amount',
              content: <WhyThisAmount receipt={receipt} />,
            },
            {
              id: 'events',
              title: 'What happened',
              content: (
                <Cards>
                  <div className={styles.columns}>
                    <Timeline receipt={receipt} />
                    <Hold
                      receipt={receipt}
                      chainTime={live.chainTime ?? meta.chain?.blockTimestamp}
                    />
                  </div>
                  {receipt.levels.length > 0 && <Rewards receipt={receipt} />}
                </Cards>
              ),
            },
            {
              id: 'proof',
              title: 'Proof',
              content: (
                <Suspense
                  fallback={
                    <Card title="Verify in this browser">
                      <Loading what="the check" />
                    </Card>
                  }
                >
                  <VerifyHere asked={asked} receipt={receipt} meta={meta} onVerdict={setVerified} />
                </Suspense>
              ),
            },
            {
              id: 'details',
              title: 'Details',
              content: (
                <Suspense fallback={<Loading what="the details" lines={8} />}>
                  <Details receipt={receipt} />
                </Suspense>
              ),
            },
          ]}
        />
      </div>
      <p className={styles.printed}>
        Receipt of sale {receipt.saleId}, printed from {location.origin}
        {location.pathname}. Anybody can check it there, against a chain of their choice.
      </p>
    </>
  );
}

/** The part that an address leads to if it names none: the one which checks with the RPC that it names (`#rpc=`). */
function startOf(hash: string): string | undefined {
  return /^#(?:rpc=|verify$)/.test(hash) ? 'proof' : undefined;
}
