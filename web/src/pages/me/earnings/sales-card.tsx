import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi, usePages } from '../../../api.ts';
import { Badge, type Tone } from '../../../components/badge.tsx';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';

import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { optionsOf, useFilters } from '../../../filters/use-filters.ts';
import { word } from '../../../word.ts';

type Conversion = DataOf<typeof api.earnings.byConversion>['items'][number];
type State = Conversion['state'];

const states: Readonly<Record<State, { readonly name: string; readonly tone: Tone }>> = {
  reserved: { name: 'on hold', tone: 'warn' },
  claimable: { name: word('claimable'), tone: 'good' },
  claimed: { name: word('claimed'), tone: 'plain' },
  refunded: { name: word('refunded'), tone: 'plain' },
  reversed: { name: word('reversed'), tone: 'bad' },
};

/** Campaigns to choose from. */
const MAX_CAMPAIGNS = 100;

const stateOptions = optionsOf('All', states, ({ name }) => name);

/** Every reward of the account, by sale, newest first. */
export function SalesCard() {
  const filters = useFilters('state', 'campaign');
  const campaigns = useApi([MINE, 'earnings.byCampaign'], api.earnings.byCampaign, {
    limit: MAX_CAMPAIGNS,
  });
  const pages = usePages([MINE, 'earnings.byConversion'], api.earnings.byConversion, {
    state: filters.chosen('state', stateOptions),
    campaignId: filters.get('campaign'),
    limit: 10,
  });
  const titles = (campaigns.data?.data.items ?? []).map(
    (one) => [one.campaignId, one.campaignTitle] as const,
  );
  return (
    <ListCard
      title="By sale"
      caption="Your rewards by sale"
      pages={pages}
      empty="No sale matches."
      rowKey={({ saleId, level, nodeId }) => `${saleId} ${level} ${nodeId}`}
      columns={[
        column.sale,
        { name: 'Your level', numeric: true, cell: ({ level }) => level },
        column.amount('Price', 'saleAmount'),
        column.amount('Your reward', 'share'),
        { name: 'State', cell: (sale) => <RewardBadge sale={sale} /> },
        column.time('Sold', 'recordedAt'),
      ]}
    >
      <FilterBar filters={filters}>
        <FilterSelect
          filters={filters}
          name="state"
          label="State of the reward"
          options={stateOptions}
          wide
        />
        <FilterSelect
          filters={filters}
          name="campaign"
          label="Campaign"
          options={[['', 'All'], ...titles]}
          open
          wide
        />
      </FilterBar>
    </ListCard>
  );
}

function RewardBadge({ sale }: { readonly sale: Conversion }) {
  const { state, readyToFinalize, holdUntil } = sale;
  if (readyToFinalize) return <Badge tone="good">ready to finalize</Badge>;
  return (
    <>
      <Badge tone={states[state].tone}>{states[state].name}</Badge>
      {state === 'reserved' && (
        <span className="soft">
          {' '}
          until <Time exact at={holdUntil} />
        </span>
      )}
    </>
  );
}
