import { ForAccount } from '../../account/sign-in.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Purchases } from '../purchases/index.tsx';
import { Account } from './account/account.tsx';
import { Earnings } from './earnings/earnings.tsx';
import { InvitationsCard } from './invitations/invitations-card.tsx';
import { Links } from './links/links.tsx';
import { Missed } from './missed/missed.tsx';
import { Overview } from './overview/overview.tsx';
import { Profile } from './profile/profile.tsx';
import { Statements } from './statements/statements.tsx';

/** Everything of the signed-in account, a tab for each subject. */
export function MePage() {
  return (
    <>
      <PageHead title="My account" />
      <ForAccount demo="partner" why="Then you see what you earned, your links and your purchases.">
        {(session) => (
          <Tabs
            isAside
            label="My account"
            tabs={[
              {
                id: 'overview',
                title: 'Overview',
                content: <Overview address={session.address} />,
              },
              { id: 'links', title: 'Links', content: <Links /> },
              { id: 'invitations', title: 'Invitations', content: <InvitationsCard /> },
              {
                id: 'earnings',
                title: 'Earnings',
                content: <Earnings address={session.address} />,
              },
              { id: 'missed', title: 'Missed', content: <Missed /> },
              { id: 'statements', title: 'Statements', content: <Statements /> },
              { id: 'purchases', title: 'Purchases', content: <Purchases /> },
              { id: 'profile', title: 'Profile', content: <Profile /> },
              { id: 'account', title: 'Account', content: <Account session={session} /> },
            ]}
          />
        )}
      </ForAccount>
    </>
  );
}
