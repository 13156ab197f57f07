import { api, type RequestOptions, useApi, usePages } from '../../api.ts';
import { campaignName } from '../../campaign-name.ts';
import { ListPage } from '../../components/list.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { FilterBar, FilterSelect } from '../../filters/filter-bar.tsx';
import { type Filters, useFilters } from '../../filters/use-filters.ts';

/** Campaigns that can be chosen. */
const CAMPAIGNS = 100;

const states = [
  ['', 'Any'],
  ['pending', 'On hold'],
  ['finalized', 'Completed'],
  ['refunded', 'Refunded'],
  ['reversed', 'Reversed'],
] as const;

/** All sales, newest first; of one campaign also by state. */
export function SalesPage() {
  const filters = useFilters('campaign', 'state');
  const campaignId = filters.get('campaign');
  const state = filters.chosen('state', states);
  const pages = usePages(['sales'], salesOf, { campaignId, state });
  return (
    <ListPage
      name="Sales"
      intro="Every sale has a receipt that says who is paid what, and why."
      title="All sales"
      caption="Sales, newest first"
      pages={pages}
      empty="No sale matches. Clear a filter."
      rowKey={({ saleId, campaignId: id }) => `${id}/${saleId}`}
      columns={receiptColumns}
    >
      <FilterBar filters={filters}>
        <CampaignFilter filters={filters} />
        {campaignId !== undefined && (
          <FilterSelect filters={filters} name="state" label="State" options={states} />
        )}
      </FilterBar>
    </ListPage>
  );
}

interface SalesInput {
  readonly campaignId: string | undefined;
  readonly state: Exclude<(typeof states)[number][0], ''> | undefined;
  readonly cursor?: string | undefined;
}

function salesOf({ campaignId, state, cursor }: SalesInput, options: RequestOptions) {
  const page = { cursor, limit: 25 };
  return campaignId === undefined
    ? api.receipts.recent(page, options)
    : api.receipts.forCampaign({ ...page, campaignId, state }, options);
}

/** The filter by campaign, by name. */
function CampaignFilter({ filters }: { readonly filters: Filters<'campaign'> }) {
  const input = { limit: CAMPAIGNS, sort: 'newest' } as const;
  const { data } = useApi(['campaigns.list'], api.campaigns.list, input);
  const known = (data?.data.items ?? []).map(
    (campaign) => [campaign.campaignId, campaignName(campaign)] as const,
  );
  const options = [['', 'All'] as const, ...known];
  return <FilterSelect filters={filters} name="campaign" label="Campaign" options={options} open />;
}
