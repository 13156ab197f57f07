import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { useSession } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { Cards } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Failure } from '../../../components/failure.tsx';
import { Field } from '../../../components/field.tsx';
import { Loading } from '../../../components/loading.tsx';
import { PageHead } from '../../../components/page-head.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { countOf } from '../../../format.ts';
import { InvitationsCard } from '../invitations/invitations-card.tsx';
import { CampaignOffer } from './campaign-offer.tsx';
import styles from './join.module.css';

type Sort = NonNullable<NonNullable<Parameters<typeof api.campaigns.list>[0]>['sort']>;

const sorts: readonly (readonly [Sort, string])[] = [
  ['balanced', 'Balanced'],
  ['reward', 'Highest commission'],
  ['budget', 'Largest budget'],
  ['hold', 'Shortest hold'],
  ['newest', 'Newest'],
];

const access = [
  ['all', 'All'],
  ['open', 'Open to everybody'],
  ['invited', 'By invitation'],
] as const;

/** Directory of campaigns that take sales now, with their terms for distributors. */
export function JoinPage() {
  const session = useSession();
  return (
    <>
      <PageHead title="Campaigns to join">
        <p>
          Join a campaign to get a link of your own, and earn a part of the sales that come through
          it. {session.data && <Link href={`${pathOf('account')}?tab=links`}>Your links</Link>}
        </p>
      </PageHead>
      <Cards>
        {session.data && <InvitationsCard pendingOnly />}
        {!session.isPending && <Directory isSignedIn={Boolean(session.data)} />}
      </Cards>
    </>
  );
}

function Directory({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const [sort, setSort] = useState<Sort>('balanced');
  const [who, setWho] = useState<(typeof access)[number][0]>('all');
  const [words, setWords] = useState('');
  const [hidesJoined, setHidesJoined] = useState(true);
  const q = words.trim();
  const filter = {
    sort,
    status: 'active' as const,
    ...(q === '' ? {} : { q }),
    ...(who === 'all' ? {} : { invitationOnly: who === 'invited' }),
    ...(isSignedIn && hidesJoined ? { excludeJoined: true } : {}),
  };
  const pages = usePages(['campaigns.list'], api.campaigns.list, { ...filter, limit: 20 });
  const { items, query } = pages;
  return (
    <section className="stack" aria-label="Campaigns">
      <form className={styles.filter} onSubmit={(event) => event.preventDefault()}>
        <Field
          id="join-words"
          label="Search"
          type="search"
          maxLength={200}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <SelectField
          id="join-sort"
          label="Order"
          options={sorts}
          value={sort}
          onChange={(event) => setSort(chosen(sorts, event.target.value, sort))}
        />
        <SelectField
          id="join-who"
          label="Who may join"
          options={access}
          value={who}
          onChange={(event) => setWho(chosen(access, event.target.value, who))}
        />
        {isSignedIn && (
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={hidesJoined}
              onChange={(event) => setHidesJoined(event.target.checked)}
            />{' '}
            Hide campaigns that I joined
          </label>
        )}
      </form>
      {query.isPending && <Loading what="campaigns" />}
      {query.error && (
        <Failure
          error={query.error}
          what="The list of campaigns"
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && items.length === 0 && (
        <Empty>
          No campaign matches.{' '}
          {isSignedIn && hidesJoined
            ? 'Those that you joined are hidden: show them, or choose other filters.'
            : 'Choose other filters.'}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <p className="soft" role="status">
            {countOf(items.length, 'campaign')}
            {query.hasNextPage ? ', and more' : ''}
          </p>
          <ul className={styles.offers}>
            {items.map((campaign) => (
              <li key={campaign.campaignId}>
                <CampaignOffer campaign={campaign} />
              </li>
            ))}
          </ul>
        </>
      )}
      {query.hasNextPage && (
        <div>
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </section>
  );
}

/** The option with this value; the one before if there is none. */
function chosen<T extends string>(
  options: readonly (readonly [T, string])[],
  value: string,
  before: T,
): T {
  return options.find(([one]) => one === value)?.[0] ?? before;
}
