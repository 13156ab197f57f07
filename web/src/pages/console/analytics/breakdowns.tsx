import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { count } from '../../../format.ts';
import { nameOf, useOwnCampaigns } from '../own-campaigns.tsx';
import { type Analytics, type AnalyticsToken, salesOf } from './totals.tsx';

interface Props {
  readonly analytics: Analytics;
  readonly token: AnalyticsToken;
}

const stages: Readonly<Record<string, string>> = {
  open: 'Visitors who opened a link',
  join: 'Links that joined',
  checkout: 'Purchases begun here',
  sale: 'Sales',
};

/** The period by campaign, by step of the way to a sale, by depth of the network, and by week of joining. */
export function Breakdowns({ analytics, token }: Props) {
  return (
    <>
      <ByCampaign analytics={analytics} token={token} />
      <Card title="From a visit to a sale">
        <DataTable
          caption="From a visit to a sale"
          rows={analytics.funnel}
          rowKey={({ stage }) => stage}
          columns={[
            { name: 'Step', cell: ({ stage }) => stages[stage] ?? stage },
            {
              name: 'Number',
              numeric: true,
              cell: (one) => `${count(one.count)}${one.estimate ? ' (estimate)' : ''}`,
            },
          ]}
        />
      </Card>
      <Card title="By depth of the link">
        {analytics.depthMix.length === 0 ? (
          <Empty>No completed sale of this period came through a link.</Empty>
        ) : (
          <DataTable
            caption="By depth of the link"
            rows={analytics.depthMix}
            rowKey={({ depth }) => String(depth)}
            columns={[
              {
                name: 'Depth',
                cell: ({ depth }) => (depth === 1 ? '1, joined directly' : String(depth)),
              },
              column.count('Completed sales', 'sales'),
              column.amountIn(token, 'Rewards', 'rewards'),
            ]}
          />
        )}
      </Card>
      <Cohorts cohortGrid={analytics.cohortGrid} />
    </>
  );
}

function ByCampaign({ analytics: { byCampaign }, token }: Props) {
  const own = useOwnCampaigns();
  const names = new Map(own.data?.data.items.map((one) => [one.campaign?.campaignId, nameOf(one)]));
  if (byCampaign.length === 0) return null;
  return (
    <Card title="By campaign">
      <DataTable
        caption="By campaign"
        rows={byCampaign}
        rowKey={({ campaignId }) => campaignId}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId }) => (
              <Link href={pathOf('campaign', { campaignId })}>
                {names.get(campaignId) ?? campaignId}
              </Link>
            ),
          },
          { name: 'Sales', numeric: true, cell: ({ totals }) => count(salesOf(totals)) },
          { name: 'Completed', numeric: true, cell: ({ totals }) => count(totals.sales.finalized) },
          column.amountIn(token, 'Value', 'totals.value'),
          column.amountIn(token, 'Rewards', 'totals.rewards'),
          column.count('New links', 'totals.links'),
        ]}
      />
    </Card>
  );
}

/** Maximum number of weeks that a row shows. */
const WEEKS = 8;

function Cohorts({ cohortGrid }: Pick<Analytics, 'cohortGrid'>) {
  if (cohortGrid.length === 0) return null;
  const length = Math.min(WEEKS, Math.max(...cohortGrid.map(({ periods }) => periods.length)));
  return (
    <Card title="Completed sales of a link, by the week in which it joined">
      <DataTable
        caption="Completed sales of a link, by the week in which it joined"
        rows={cohortGrid}
        rowKey={({ cohort }) => cohort}
        columns={[
          { name: 'Joined in the week of', cell: ({ cohort }) => cohort.slice(0, 10) },
          ...Array.from({ length }, (_, week) => ({
            name: week === 0 ? 'That week' : `+${week}`,
            numeric: true,
            cell: ({ periods }: { readonly periods: readonly number[] }) =>
              periods[week] === undefined ? '' : periods[week].toFixed(2),
          })),
        ]}
      />
      <p className="soft">
        Average for each link that joined in that week, in the first {length} weeks.
      </p>
    </Card>
  );
}
