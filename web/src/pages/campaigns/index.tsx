import { api, usePages } from '../../api.ts';
import { campaignColumns } from '../../components/campaign-columns.tsx';
import { ListPage } from '../../components/list.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx';
import { useFilters } from '../../filters/use-filters.ts';
import { countOf } from '../../format.ts';
import {
  campaignFilters,
  campaignQuery,
  invitations,
  levels,
  sorts,
  statuses,
} from './campaign-query.ts';
import { CategoryFilter } from './category-filter.tsx';

/** All campaigns that lists show, with filters. */
export function CampaignsPage() {
  const filters = useFilters(...campaignFilters);
  const pages = usePages(['campaigns.list'], api.campaigns.list, {
    ...campaignQuery(filters),
    limit: 25,
  });
  return (
    <ListPage
      name="Campaigns"
      intro="A campaign sells a product, and pays a reward to those whose links led to the sale. Its rules are in a contract on the chain."
      title="All campaigns"
      caption="Campaigns"
      pages={pages}
      empty="No campaign matches. Clear a filter, or use other words."
      rowKey={({ campaignId }) => campaignId}
      columns={campaignColumns}
    >
      <FilterBar filters={filters} found={pages.first && countOf(pages.first.total, 'campaign')}>
        <FilterText filters={filters} name="q" label="Words" />
        <FilterSelect filters={filters} name="status" label="Status" options={statuses} />
        <CategoryFilter filters={filters} />
        <FilterSelect filters={filters} name="levels" label="Levels" options={levels} />
        <FilterSelect filters={filters} name="invite" label="Joining" options={invitations} />
        <FilterSelect filters={filters} name="sort" label="Sort by" options={sorts} />
      </FilterBar>
    </ListPage>
  );
}
