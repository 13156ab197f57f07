import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { useSession } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import { Cards } from '../../../components/card.tsx';
import { Paged } from '../../../components/list.tsx';
import { PageHead } from '../../../components/page-head.tsx';
import { FilterBar, FilterCheck, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { countOf } from '../../../format.ts';
import { JoinDialog, type Joining } from '../../campaign/join/join-dialog.tsx';
import { InvitationsCard } from '../invitations/invitations-card.tsx';
import { CampaignOffer } from './campaign-offer.tsx';
import styles from './join.module.css';

const sorts = [
  ['', 'Balanced'],
  ['reward', 'Highest commission'],
  ['budget', 'Largest budget'],
  ['hold', 'Shortest hold'],
  ['newest', 'Newest'],
] as const;

const access = [
  ['', 'All'],
  ['open', 'Open to everybody'],
  ['invited', 'By invitation'],
] as const;

/** Value of the filter `joined` with which the account's own campaigns are listed, too. */
const SHOWN = 'shown';

/** Directory of campaigns that take sales now, with their terms for distributors. */
export function JoinPage() {
  const session = useSession();
  // Here, because the list changes with the session and when a campaign was joined.
  const [joining, setJoining] = useState<Joining>();
  return (
    <>
      {joining && <JoinDialog {...joining} open onClose={() => setJoining(undefined)} />}
      <PageHead title="Campaigns to join">
        <p>
          Join a campaign to get a link of your own, and earn a part of the sales that come through
          it. {session.data && <Link href={`${pathOf('account')}?tab=links`}>Your links</Link>}
        </p>
      </PageHead>
      <Cards>
        {session.data && <InvitationsCard pendingOnly />}
        {!session.isPending && <Directory isSignedIn={Boolean(session.data)} onJoin={setJoining} />}
      </Cards>
    </>
  );
}

interface DirectoryProps {
  readonly isSignedIn: boolean;
  readonly onJoin: (campaign: Joining) => void;
}

function Directory({ isSignedIn, onJoin }: DirectoryProps) {
  const filters = useFilters('q', 'sort', 'who', 'joined');
  const who = filters.chosen('who', access);
  const hidesJoined = isSignedIn && filters.get('joined') !== SHOWN;
  const pages = usePages(['campaigns.list'], api.campaigns.list, {
    sort: filters.chosen('sort', sorts) ?? 'balanced',
    status: 'active',
    q: filters.get('q'),
    invitationOnly: who && who === 'invited',
    excludeJoined: hidesJoined || undefined,
    limit: 20,
  });
  const { items, query } = pages;
  const found = `${countOf(items.length, 'campaign')}${query.hasNextPage ? ', and more' : ''}`;
  return (
    <section className="stack" aria-label="Campaigns">
      <FilterBar filters={filters} found={items.length > 0 ? found : undefined}>
        <FilterText filters={filters} name="q" label="Search" wide />
        <FilterSelect filters={filters} name="sort" label="Sort by" options={sorts} wide />
        <FilterSelect filters={filters} name="who" label="Who may join" options={access} wide />
        {isSignedIn && (
          <FilterCheck
            filters={filters}
            name="joined"
            label="Hide campaigns that I joined"
            off={SHOWN}
          />
        )}
      </FilterBar>
      <Paged
        pages={pages}
        what="Campaigns"
        empty={`No campaign matches. ${
          hidesJoined
            ? 'Those that you joined are hidden: show them, or choose other filters.'
            : 'Choose other filters.'
        }`}
      >
        {(campaigns) => (
          <ul className={styles.offers}>
            {campaigns.map((campaign) => (
              <li key={campaign.campaignId}>
                <CampaignOffer campaign={campaign} onJoin={onJoin} />
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </section>
  );
}
