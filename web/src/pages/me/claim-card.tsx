import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, type DataOf, usePages } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Failure } from '../../components/failure.tsx';
import { Hash } from '../../components/hash.tsx';
import { Loading } from '../../components/loading.tsx';
import { countOf } from '../../format.ts';
import styles from './me.module.css';
import { MINE } from './use-session.ts';
import { browserWallet, sendTransaction } from './wallet.ts';

type Claimable = DataOf<typeof api.earnings.claimable>['items'][number];
type Transaction = NonNullable<Claimable['claim']>;

/** Rewards that can be claimed or finalized now: the wallet signs and sends, this page does not. */
export function ClaimCard({ address }: { readonly address: string }) {
  const { items, query } = usePages([MINE, 'earnings.claimable'], (page, options) =>
    api.earnings.claimable({ ...page, limit: 20 }, options),
  );
  return (
    <Card title="To claim">
      {query.isPending && <Loading what="claimable rewards" />}
      {query.error && (
        <Failure
          error={query.error}
          what="What can be claimed"
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && items.length === 0 && <Empty>Nothing can be claimed now.</Empty>}
      {items.length > 0 && (
        <ul className={styles.claims}>
          {items.map((item) => (
            <li key={item.campaignId}>
              <ClaimItem item={item} address={address} />
            </li>
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </Card>
  );
}

interface ClaimItemProps {
  readonly item: Claimable;
  readonly address: string;
}

function ClaimItem({ item, address }: ClaimItemProps) {
  const { campaignId, campaignTitle, token, finalizeSaleIds, claim, finalize } = item;
  return (
    <>
      <h3>
        <Link href={`/campaigns/${campaignId}`}>{campaignTitle}</Link>
      </h3>
      <p>
        <Amount value={item.claimable} token={token} /> claimable
        {finalize && (
          <>
            , <Amount value={item.readyToFinalize} token={token} /> more once{' '}
            {countOf(finalizeSaleIds.length, 'sale')} of which the hold is over{' '}
            {finalizeSaleIds.length === 1 ? 'is' : 'are'} finalized
          </>
        )}
        .
      </p>
      <div className={styles.steps}>
        {claim && <Send transaction={claim} address={address} name="Claim" />}
        {finalize && <Send transaction={finalize} address={address} name="Finalize" />}
      </div>
    </>
  );
}

interface SendProps {
  readonly transaction: Transaction;
  readonly address: string;
  readonly name: string;
}

/** A transaction to sign: what the chain said of it beforehand, and what became of it. */
function Send({ transaction, address, name }: SendProps) {
  const wallet = browserWallet();
  const { description, simulation } = transaction;
  const sent = useMutation({
    mutationFn: async () => {
      if (wallet === undefined) throw new Error('This browser has no wallet.');
      return await sendTransaction(wallet, address, transaction);
    },
  });
  const refused = simulation.status === 'revert';
  return (
    <div className={styles.step}>
      <p className={styles.soft}>{description}</p>
      {refused && <p className={styles.issue}>The contract would refuse it: {simulation.error}</p>}
      {sent.data === undefined ? (
        <Button
          main
          disabled={refused || sent.isPending || wallet === undefined}
          onClick={() => sent.mutate()}
        >
          {sent.isPending ? 'Waiting for the wallet …' : name}
        </Button>
      ) : (
        <p role="status">
          Sent: <Hash value={sent.data} label="transaction hash" /> It counts here once its block is
          settled.
        </p>
      )}
      {sent.error && (
        <p className={styles.issue} role="alert">
          {sent.error.message}
        </p>
      )}
    </div>
  );
}
