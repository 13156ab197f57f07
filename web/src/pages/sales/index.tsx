import { api, type RequestOptions, useApi, usePages } from '../../api.ts';
import { campaignName } from '../../campaign-name.ts';
import { Card, Cards } from '../../components/card.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { FilterBar, FilterSelect } from '../../filters/filter-bar.tsx';
import { oneOf, useFilters } from '../../filters/use-filters.ts';

const PAGE = 25;
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
  const filters = useFilters();
  const campaignId = filters.get('campaign');
  const state = oneOf(filters.get('state'), ['pending', 'finalized', 'refunded', 'reversed']);
  const pages = usePages(['sales'], salesOf, { campaignId, state });
  return (
    <>
      <PageHead title="Sales">
        <p>Every sale has a receipt that says who is paid what, and why.</p>
      </PageHead>
      <Cards>
        <Card title="All sales" aside={<AsOf meta={pages.meta} />}>
          <FilterBar filters={filters}>
            <CampaignFilter />
            {campaignId !== undefined && (
              <FilterSelect filters={filters} name="state" label="State" options={states} />
            )}
          </FilterBar>
          <PagedTable
            caption="Sales, newest first"
            pages={pages}
            empty="No sale matches. Clear a filter."
            rowKey={({ saleId, campaignId: id }) => `${id}/${saleId}`}
            columns={receiptColumns}
          />
        </Card>
      </Cards>
    </>
  );
}

interface SalesInput {
  readonly campaignId: string | undefined;
  readonly state: (typeof states)[number][0] | undefined;
  readonly cursor?: string | undefined;
}

function salesOf({ campaignId, state, cursor }: SalesInput, options: RequestOptions) {
  const page = { cursor, limit: PAGE };
  return campaignId === undefined
    ? api.receipts.recent(page, options)
    : api.receipts.forCampaign({ ...page, campaignId, state: state || undefined }, options);
}

/** The filter by campaign, by name. One that is chosen by its number in the address is always there. */
function CampaignFilter() {
  const filters = useFilters();
  const { data } = useApi(['campaigns.list'], api.campaigns.list, {
    limit: CAMPAIGNS,
    sort: 'newest',
  });
  const chosen = filters.get('campaign');
  const known = (data?.data.items ?? []).map(
    (campaign) => [campaign.campaignId, campaignName(campaign)] as const,
  );
  const isListed = chosen === undefined || known.some(([id]) => id === chosen);
  const options = [
    ['', 'All'] as const,
    ...known,
    ...(isListed ? [] : [[chosen, `Campaign ${chosen}`] as const]),
  ];
  return <FilterSelect filters={filters} name="campaign" label="Campaign" options={options} />;
}
