import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { campaignColumn } from '../../components/campaign-columns.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';

const SHOWN = 5;
/** State and hold are on the campaign's page: these all take sales. */
const { state, hold, ...shown } = campaignColumn;
const columns = Object.values(shown);

/** The campaigns that take sales now, the best first by the balanced order. */
export function TopCampaigns() {
  const query = useApi(['campaigns.list'], api.campaigns.list, { status: 'active', limit: SHOWN });
  return (
    <Card title="Top campaigns" aside={<Link href={pathOf('campaigns')}>All campaigns</Link>}>
      <Answered query={query} what="campaigns">
        {({ data }) =>
          data.items.length === 0 ? (
            <Empty>No campaign takes sales now.</Empty>
          ) : (
            <DataTable
              caption="Top campaigns"
              rows={data.items}
              rowKey={({ campaignId }) => campaignId}
              columns={columns}
            />
          )
        }
      </Answered>
    </Card>
  );
}
