import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, useApi } from '../../../api.ts';
import { Cards } from '../../../components/card.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Panel } from '../../../components/panel.tsx';
import { countOf } from '../../../format.ts';
import { PayCard } from '../payout/pay-card.tsx';
import { Begin } from './begin.tsx';
import { NewsCard } from './news-card.tsx';
import { ReleasesCard } from './releases-card.tsx';

/** The money of an account, what waits for an answer, and what happened. */
export function Overview({ address }: { readonly address: string }) {
  const isNew = useIsNew();
  const invitations = useInvitations();
  // They are shown first: nothing may come before them and be moved.
  if (invitations.isPending) return <Loading what="your account" size={[26, 50]} />;
  return (
    <Cards>
      <PendingInvitations />
      {isNew ? (
        <Begin />
      ) : (
        <>
          <PayCard address={address} />
          <ReleasesCard />
        </>
      )}
      <NewsCard />
    </Cards>
  );
}

/** True for an account that has no link and no reward: an empty table would teach it nothing. */
function useIsNew(): boolean {
  const links = useApi([MINE, 'links.mine', 'first'], api.links.mine, { limit: 1 });
  const earnings = useApi([MINE, 'earnings.summary'], api.earnings.summary, {});
  const hasLink = links.data?.data.items.length !== 0;
  return !hasLink && earnings.data?.data.byToken.length === 0;
}

function useInvitations() {
  return useApi([MINE, 'invitations.mine'], api.invitations.mine, {
    status: 'pending',
    limit: 100,
  });
}

/** Says how many invitations wait for an answer, if any do. */
function PendingInvitations() {
  const { data } = useInvitations();
  const count = data?.data.items.length ?? 0;
  if (count === 0) return null;
  return (
    <Panel title={`${countOf(count, 'invitation')} for you`}>
      <p>
        A merchant asks you to join a campaign.{' '}
        <Link href={`${pathOf('account')}?tab=invitations`}>Read and answer</Link>
      </p>
    </Panel>
  );
}
