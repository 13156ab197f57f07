import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { SignTransactions } from '../../account/sign-transactions.tsx';
import { MINE } from '../../account/use-session.ts';
import { api, type DataOf, usePages } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { countOf } from '../../format.ts';
import styles from './me.module.css';

type Claimable = DataOf<typeof api.earnings.claimable>['items'][number];

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
        <Link href={pathOf('campaign', { campaignId })}>{campaignTitle}</Link>
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
        {claim && <SignTransactions transactions={[claim]} address={address} name="Claim" />}
        {finalize && (
          <SignTransactions transactions={[finalize]} address={address} name="Finalize" />
        )}
      </div>
    </>
  );
}
