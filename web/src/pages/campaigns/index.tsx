import { api, usePages } from '../../api.ts';
import { campaignColumns } from '../../components/campaign-columns.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { PagedTable } from '../../components/data-table.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx';
import { useFilters } from '../../filters/use-filters.ts';
import { countOf } from '../../format.ts';
import { CategoryFilter } from './category-filter.tsx';
import { useCampaignQuery } from './use-campaign-query.ts';

const PAGE = 25;

const statuses = [
  ['', 'Any'],
  ['active', 'Takes sales now'],
  ['not_live', 'Takes no sales yet, or no more'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
  ['expired', 'Expired'],
] as const;

/** Orders of the list; the first is that of an address without one. */
const sorts = [
  ['', 'Best match'],
  ['newest', 'Newest'],
  ['reward', 'Highest reward'],
  ['budget', 'Largest budget'],
  ['hold', 'Shortest hold'],
] as const;

const levels = [['', 'Any'], ...['1', '2', '3', '4', '5'].map((n) => [n, n] as const)] as const;

const invitations = [
  ['', 'Any'],
  ['false', 'Open to everyone'],
  ['true', 'By invitation'],
] as const;

/** All campaigns that lists show, with filters. */
export function CampaignsPage() {
  const filters = useFilters();
  const query = useCampaignQuery();
  const pages = usePages(['campaigns.list'], api.campaigns.list, { ...query, limit: PAGE });
  return (
    <>
      <PageHead title="Campaigns">
        <p>
          A campaign sells a product, and pays a reward to those whose links led to the sale. Its
          rules are in a contract on the chain.
        </p>
      </PageHead>
      <Cards>
        <Card title="All campaigns" aside={<AsOf meta={pages.meta} />}>
          <FilterBar
            filters={filters}
            found={pages.first && countOf(pages.first.total, 'campaign')}
          >
            <FilterText filters={filters} name="q" label="Words" />
            <FilterSelect filters={filters} name="status" label="Status" options={statuses} />
            <CategoryFilter filters={filters} />
            <FilterSelect filters={filters} name="levels" label="Levels" options={levels} />
            <FilterSelect filters={filters} name="invite" label="Joining" options={invitations} />
            <FilterSelect filters={filters} name="sort" label="Order" options={sorts} />
          </FilterBar>
          <PagedTable
            caption="Campaigns"
            pages={pages}
            empty="No campaign matches. Clear a filter, or use other words."
            rowKey={({ campaignId }) => campaignId}
            columns={campaignColumns}
          />
        </Card>
      </Cards>
    </>
  );
}
