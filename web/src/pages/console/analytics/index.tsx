import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { useActing } from '../acting.tsx';
import { CampaignFilter } from '../own-campaigns.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Charts } from './charts.tsx';
import { daysBefore } from './days.ts';
import { Totals } from './totals.tsx';

const periods = [
  ['7', 'Last 7 days'],
  ['', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['365', 'Last 365 days'],
] as const;

/** Sales, rewards and growth over time, of all campaigns or of one. */
export default function AnalyticsSection() {
  const { api, key } = useActing();
  const filters = useFilters('days', 'campaign');
  const campaignId = filters.get('campaign');
  const range = daysBefore(new Date(), Number(filters.chosen('days', periods) ?? 30));
  const all = useApi(
    [...key, 'analytics.merchant'],
    api.analytics.merchant,
    { range },
    {
      enabled: campaignId === undefined,
    },
  );
  const one = useApi(
    [...key, 'analytics.campaign'],
    api.analytics.campaign,
    { campaignId: campaignId ?? '', range },
    { enabled: campaignId !== undefined },
  );
  const query = campaignId === undefined ? all : one;
  return (
    <>
      <Card title="Period">
        <FilterBar filters={filters}>
          <FilterSelect filters={filters} name="days" label="Days (UTC)" options={periods} />
          <CampaignFilter filters={filters} />
        </FilterBar>
        <AsOf meta={query.data?.meta} />
      </Card>
      <Answered query={query} what="The analytics">
        {({ data, meta }) => (
          <>
            <Totals analytics={data} token={meta.token} others={meta.otherTokens ?? []} />
            <Charts analytics={data} token={meta.token} />
            <Breakdowns analytics={data} token={meta.token} />
          </>
        )}
      </Answered>
    </>
  );
}
