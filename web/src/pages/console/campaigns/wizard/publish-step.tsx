import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../../../../../../engine/client/error.ts';
import { Failure } from '../../../../components/failure.tsx';
import { Loading } from '../../../../components/loading.tsx';
import { Panel } from '../../../../components/panel.tsx';
import type { Unit } from '../../../../format.ts';
import { useActing } from '../../acting.tsx';
import { MerchantTransactions } from '../../merchant-transactions.tsx';
import { campaignPath } from '../../paths.ts';
import { readable } from '../../readable.ts';
import styles from '../campaigns.module.css';
import { type Draft, labelOf } from './draft.ts';

interface Props {
  readonly draft: Draft;
  /** Token of the prices; `null` if it is not known. */
  readonly token: Unit | null;
}

/**
 * The transactions that publish a draft: one that creates the campaign; then, because they need its number, the approval
 * and the deposit.
 */
export function PublishStep({ draft, token }: Props) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const { id, state, campaignId } = draft;
  const isCreated = state === 'PUBLISHED';
  const query = useQuery({
    queryKey: [...key, 'campaigns.prepareCreate', id, state],
    queryFn: async () => (await api.campaigns.prepareCreate({ id })).data,
    // Its transactions must not change while they are signed.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  if (query.isPending) return <Loading what="the transactions" />;
  if (query.error) return <NotPrepared error={query.error} />;
  const transactions = query.data.transactions
    .filter(({ step }) => isCreated || step === 'CREATE')
    .flatMap(({ transaction }) => transaction ?? [])
    .map((one) => (token ? { ...one, description: readable(one.description, token) } : one));
  const { warnings } = query.data;
  if (isCreated && transactions.length === 0) return <Live campaignId={campaignId ?? ''} />;
  return (
    <div className="stack">
      <p>
        {isCreated
          ? `Campaign ${campaignId} is on the chain. The deposit is left: without it, sales pay no rewards.`
          : 'First the campaign is created on the chain. Then you approve and deposit its rewards.'}
      </p>
      {warnings.length > 0 && (
        <Panel tone="warn" title="What this token can do to the campaign" role="status">
          <ul className={styles.list}>
            {warnings.map(({ code, message }) => (
              <li key={code}>{token ? readable(message, token) : message}</li>
            ))}
          </ul>
        </Panel>
      )}
      <MerchantTransactions
        key={state}
        transactions={transactions}
        name={isCreated ? 'Approve and deposit' : 'Create the campaign'}
        onSettled={() => queries.invalidateQueries({ queryKey: key })}
        done={isCreated ? <Live campaignId={campaignId ?? ''} /> : <Loading what="the campaign" />}
      />
      {isCreated && (
        <p>
          <Link href={campaignPath(campaignId ?? '')}>Deposit later</Link>
        </p>
      )}
    </div>
  );
}

function Live({ campaignId }: { readonly campaignId: string }) {
  return (
    <p role="status">
      The campaign is live. <Link href={campaignPath(campaignId)}>To campaign {campaignId}</Link>
    </p>
  );
}

function NotPrepared({ error }: { readonly error: Error }) {
  const issues = error instanceof ApiError ? error.issues : [];
  return (
    <>
      <Failure error={error} what="The transactions" />
      <ul className={styles.list}>
        {issues.map(({ path, message }) => (
          <li key={path}>
            {labelOf(path)} {message}
          </li>
        ))}
      </ul>
    </>
  );
}
