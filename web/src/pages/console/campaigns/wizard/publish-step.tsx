import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ApiError } from '../../../../../../engine/client/error.ts';
import { pathOf } from '../../../../../../engine/contract/pages.ts';
import { api as publicApi, useApi } from '../../../../api.ts';
import { Failure } from '../../../../components/failure.tsx';
import { Loading } from '../../../../components/loading.tsx';
import { Panel } from '../../../../components/panel.tsx';
import type { Unit } from '../../../../format.ts';
import { useCampaign } from '../../../../offer/use-offer.ts';
import { Share } from '../../../../share/share.tsx';
import { useActing } from '../../acting.tsx';
import { MerchantTransactions } from '../../merchant-transactions.tsx';
import { campaignPath, invitePath, sectionPath } from '../../paths.ts';
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

/** The end of publishing: what the merchant can do next. */
function Live({ campaignId }: { readonly campaignId: string }) {
  const { merchant } = useActing();
  const campaign = useCampaign(campaignId).data?.data;
  const profile = useApi(['merchants.get'], publicApi.merchants.get, { slug: merchant });
  const title = campaign?.product.title ?? `Campaign ${campaignId}`;
  const hasLogo = (profile.data?.data.logo ?? null) !== null;
  return (
    <Panel tone="good" title="Your campaign is live" role="status">
      <p>
        {title} can be bought now, and partners can{' '}
        {campaign?.inviteOnly ? 'join once you invite them' : 'join and share it'}.
      </p>
      <ol className={styles.next}>
        <li>
          <Link href={pathOf('campaign', { campaignId })}>See it as buyers and partners do</Link>
        </li>
        <li>
          <Share
            path={pathOf('campaign', { campaignId })}
            title={title}
            name="Share the campaign"
          />
        </li>
        <li>
          <Link href={invitePath(undefined, campaignId)}>Invite partners</Link>, who sell it for a
          part of the price
        </li>
        {!hasLogo && (
          <li>
            <Link href={sectionPath('settings')}>Add your logo and your texts</Link>, so that buyers
            know you
          </li>
        )}
        <li>
          <Link href={campaignPath(campaignId)}>Manage the campaign</Link>
        </li>
      </ol>
    </Panel>
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
