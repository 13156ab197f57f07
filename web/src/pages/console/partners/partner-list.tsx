import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Facts } from '../../../components/facts.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { count, shortHex } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { CampaignFilter } from '../own-campaigns.tsx';
import { invitePath, partnerPath } from '../paths.ts';

type Partners = DataOf<Client['partners']['list']>;
type Partner = Partners['items'][number];

const statuses = [
  ['', 'All'],
  ['active', 'With completed sales'],
  ['inactive', 'Without'],
] as const;

const sorts = [
  ['', 'Most sales'],
  ['value', 'Largest value'],
  ['rewards', 'Largest rewards'],
  ['newest', 'Newest'],
] as const;

/** Distributors with a link in the merchant's campaigns, and their totals. */
export function PartnerList() {
  const { api, key } = useActing();
  const filters = useFilters('q', 'campaign', 'status', 'sort');
  const filter = {
    q: filters.get('q'),
    campaignId: filters.get('campaign'),
    status: filters.chosen('status', statuses),
    sort: filters.chosen('sort', sorts) ?? 'sales',
  };
  const pages = usePages([...key, 'partners.list'], api.partners.list, { ...filter, limit: 25 });
  const token = pages.meta?.token;
  const totals = useApi([...key, 'partners.list'], api.partners.list, { ...filter, limit: 1 });
  const summary = totals.data?.data.summary;
  return (
    <>
      <Card title="Find partners" aside={<Link href={invitePath()}>Invite a partner</Link>}>
        <FilterBar filters={filters}>
          <FilterText filters={filters} name="q" label="Handle, name or address" />
          <CampaignFilter filters={filters} />
          <FilterSelect filters={filters} name="status" label="Show" options={statuses} />
          <FilterSelect filters={filters} name="sort" label="Order" options={sorts} />
        </FilterBar>
      </Card>
      <ListCard
        title="Partners"
        asOf
        pages={pages}
        empty="No partners match. Invite distributors, or share the page of a campaign with them."
        rowKey={(partner) => partner.address ?? partner.pseudonym ?? partner.firstLinkAt}
        columns={[
          { name: 'Partner', cell: (partner) => <Name partner={partner} /> },
          column.count('Links', 'linkCount'),
          column.count('Direct sales', 'directSales'),
          column.count('Sales below', 'networkSales'),
          column.amountIn(token, 'Value', 'settledValue'),
          {
            name: 'Rewards paid or claimable',
            numeric: true,
            cell: ({ rewards }) =>
              token && (
                <Amount value={BigInt(rewards.claimable) + BigInt(rewards.claimed)} token={token} />
              ),
          },
          { name: 'Since', cell: ({ firstLinkAt }) => <Time at={firstLinkAt} /> },
        ]}
      >
        {summary && token && (
          <Facts
            facts={[
              ['Partners', count(summary.partners)],
              ['Completed sales', count(summary.sales.finalized)],
              ['Sales on hold', count(summary.sales.pending)],
              [
                'Value of completed sales',
                <Amount key="value" value={summary.value} token={token} />,
              ],
            ]}
          />
        )}
      </ListCard>
    </>
  );
}

/** Name of a partner; its address if it has no public one, and a pseudonym if it hides both. */
function Name({ partner }: { readonly partner: Partner }) {
  const { address, handle, displayName, pseudonym } = partner;
  const name = displayName ?? handle;
  if (address === null) {
    return (
      <span title="Hides its address and name. Only you see it under this pseudonym.">
        Pseudonym {pseudonym}
      </span>
    );
  }
  return (
    <>
      <Link href={partnerPath(address)}>{name ?? shortHex(address)}</Link>{' '}
      <CopyButton text={address} label="address" />
    </>
  );
}
