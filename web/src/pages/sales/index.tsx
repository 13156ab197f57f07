import type { Client } from '../../../../engine/client/index.ts';
import { api, useApi, usePages } from '../../api.ts';
import { campaignName } from '../../campaign-name.ts';
import { ExportRows } from '../../components/export-rows.tsx';
import { ListPage } from '../../components/list.tsx';
import { ListTools } from '../../components/list-tools.tsx';
import { receiptColumn } from '../../components/receipt-columns.tsx';
import { saleCsv, stateOptions } from '../../components/sale-csv.ts';
import { SortSelect } from '../../components/sort-select.tsx';
import { FilterBar, FilterSelect } from '../../filters/filter-bar.tsx';
import { saleOrders, sortingOf } from '../../filters/order.ts';
import { periodOf } from '../../filters/period.ts';
import { SalePeriod, SalePrice } from '../../filters/sale-filters.tsx';
import { SavedFilters } from '../../filters/saved-filters.tsx';
import { type Filters, useFilters } from '../../filters/use-filters.ts';

type SalesQuery = NonNullable<Parameters<Client['receipts']['recent']>[0]>;

/** Campaigns that can be chosen. */
const CAMPAIGNS = 100;

const names = ['campaign', 'state', 'from', 'to', 'min', 'max', 'order'] as const;

const { price, recorded } = receiptColumn;

/** The columns with the orders by them. */
const columns = Object.values({
  ...receiptColumn,
  price: { ...price, sort: { ascending: 'lowest', descending: 'highest' } },
  recorded: { ...recorded, sort: { ascending: 'oldest', descending: 'newest' } },
});

/** All sales that lists show, with filters that are in the page's address. */
export function SalesPage() {
  const filters = useFilters(...names);
  const query = queryOf(filters);
  const pages = usePages(['receipts.recent'], api.receipts.recent, { ...query, limit: 25 });
  const { error } = pages.query;
  return (
    <ListPage
      name="Sales"
      intro="Every sale has a receipt that says who is paid what, and why."
      title="All sales"
      caption="Sales"
      pages={pages}
      empty="No sale matches. Clear a filter to find more."
      rowKey={({ saleId, campaignId: id }) => `${id}/${saleId}`}
      columns={columns}
      sorting={sortingOf(filters, saleOrders, 'newest')}
    >
      <FilterBar filters={filters}>
        <CampaignFilter filters={filters} />
        <FilterSelect filters={filters} name="state" label="State" options={stateOptions} />
        <SalePeriod filters={filters} error={error} />
        <SalePrice filters={filters} error={error} />
        <SortSelect filters={filters} options={saleOrders} />
      </FilterBar>
      <ListTools>
        <SavedFilters list="sales" filters={filters} names={names} />
        <ExportRows
          list="sales"
          columns={saleCsv}
          load={(page) => api.receipts.recent({ ...query, ...page })}
        />
      </ListTools>
    </ListPage>
  );
}

function queryOf(filters: Filters<(typeof names)[number]>): SalesQuery {
  return {
    campaignId: filters.get('campaign'),
    state: filters.chosen('state', stateOptions),
    range: periodOf(filters.get('from') ?? '', filters.get('to') ?? ''),
    paidMin: filters.get('min'),
    paidMax: filters.get('max'),
    order: filters.chosen('order', saleOrders),
  };
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
