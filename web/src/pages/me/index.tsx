import { type ReactNode, useState } from 'react';
import { ForAccount } from '../../account/sign-in.tsx';
import { HeadSlot } from '../../components/head-action.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Tabs, useChosenTab } from '../../components/tabs.tsx';
import { TitleShown } from '../../components/title-shown.ts';
import { Purchases } from '../purchases/index.tsx';
import { Account } from './account/account.tsx';
import { Earnings } from './earnings/earnings.tsx';
import { InvitationsCard } from './invitations/invitations-card.tsx';
import { Links } from './links/links.tsx';
import { Missed } from './missed/missed.tsx';
import { Overview } from './overview/overview.tsx';
import { Profile } from './profile/profile.tsx';
import { Statements } from './statements/statements.tsx';

interface Part {
  readonly id: string;
  readonly title: string;
  readonly content: (address: `0x${string}`) => ReactNode;
}

const parts: readonly Part[] = [
  { id: 'overview', title: 'Overview', content: (address) => <Overview address={address} /> },
  { id: 'links', title: 'Links', content: () => <Links /> },
  { id: 'invitations', title: 'Invitations', content: () => <InvitationsCard /> },
  { id: 'earnings', title: 'Earnings', content: (address) => <Earnings address={address} /> },
  { id: 'missed', title: 'Missed rewards', content: () => <Missed /> },
  { id: 'statements', title: 'Statements', content: () => <Statements /> },
  { id: 'purchases', title: 'Purchases', content: () => <Purchases /> },
  { id: 'profile', title: 'Profile', content: () => <Profile /> },
];

/** Everything of the signed-in account, a tab for each subject. */
export function MePage() {
  const own = { id: 'account', title: 'Account' };
  const title = useChosenTab([...parts, own])?.title ?? 'Overview';
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  return (
    <HeadSlot value={slot}>
      <PageHead
        title={title}
        kind="My account"
        action={<div ref={setSlot} className="actions" />}
      />
      <ForAccount demo="partner" why="Then you see what you earned, your links and your purchases.">
        {(session) => (
          <TitleShown value={title}>
            <Tabs
              isAside
              label="My account"
              tabs={[
                ...parts.map(({ content, ...part }) => ({
                  ...part,
                  content: content(session.address),
                })),
                { ...own, content: <Account session={session} /> },
              ]}
            />
          </TitleShown>
        )}
      </ForAccount>
    </HeadSlot>
  );
}
