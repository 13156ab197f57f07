import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { wholeTokens } from '../../../../../engine/core/amounts.ts';
import { type DataOf, useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Avatar } from '../../../components/avatar.tsx';
import { ButtonLink } from '../../../components/button-link.tsx';
import * as column from '../../../components/columns.tsx';
import { ExportRows } from '../../../components/export-rows.tsx';
import { Facts } from '../../../components/facts.tsx';
import { HeadAction } from '../../../components/head-action.tsx';
import { ListCard } from '../../../components/list.tsx';
import { ListTools } from '../../../components/list-tools.tsx';
import { RowMenu } from '../../../components/row-menu.tsx';
import { SortSelect } from '../../../components/sort-select.tsx';
import styles from '../../../components/values.module.css';
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { sortingOf } from '../../../filters/order.ts';
import { SavedFilters } from '../../../filters/saved-filters.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { count, shortHex } from '../../../format.ts';
import type { CsvColumn } from '../../../save-csv.ts';
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

const orders = [
  ['', 'Most sales'],
  ['value', 'Largest value'],
  ['rewards', 'Largest rewards'],
  ['newest', 'Newest'],
] as const;

const filterNames = ['q', 'campaign', 'status', 'order'] as const;

/** Distributors with a link in the merchant's campaigns, and their totals. */
export function PartnerList() {
  const { api, key } = useActing();
  const filters = useFilters(...filterNames);
  const filter = {
    q: filters.get('q'),
    campaignId: filters.get('campaign'),
    status: filters.chosen('status', statuses),
    sort: filters.chosen('order', orders) ?? 'sales',
  };
  const pages = usePages([...key, 'partners.list'], api.partners.list, { ...filter, limit: 25 });
  const token = pages.meta?.token;
  const totals = useApi([...key, 'partners.list'], api.partners.list, { ...filter, limit: 1 });
  const summary = totals.data?.data.summary;
  return (
    <>
      <HeadAction>
        <ButtonLink main href={invitePath()}>
          Invite a partner
        </ButtonLink>
      </HeadAction>
      <ListCard
        title="Partners"
        asOf
        pages={pages}
        empty="No partners match. Invite distributors, or share the page of a campaign with them."
        rowKey={(partner) => partner.address ?? partner.pseudonym ?? partner.firstLinkAt}
        columns={[
          { name: 'Partner', cell: (partner) => <Name partner={partner} /> },
          column.count('Links', 'linkCount'),
          {
            name: 'Completed sales',
            numeric: true,
            sort: { descending: 'sales' },
            cell: ({ directSales, networkSales }) => (
              <span title={`${directSales} by its own links, ${networkSales} by links below`}>
                {count(directSales + networkSales)}
              </span>
            ),
          },
          column.count('By own links', 'directSales'),
          { ...column.amountIn(token, 'Value', 'settledValue'), sort: { descending: 'value' } },
          {
            name: 'Rewards paid or claimable',
            numeric: true,
            sort: { descending: 'rewards' },
            cell: ({ rewards }) =>
              token && (
                <Amount value={BigInt(rewards.claimable) + BigInt(rewards.claimed)} token={token} />
              ),
          },
          { ...column.time('Since', 'firstLinkAt'), sort: { descending: 'newest' } },
        ]}
        menu={(partner) => <PartnerMenu partner={partner} />}
        sorting={sortingOf(filters, orders, 'sales')}
      >
        <FilterBar filters={filters}>
          <FilterText filters={filters} name="q" label="Handle, name or address" wide />
          <CampaignFilter filters={filters} />
          <FilterSelect filters={filters} name="status" label="Show" options={statuses} wide />
          <SortSelect filters={filters} options={orders} />
        </FilterBar>
        <ListTools>
          <SavedFilters list="partners" filters={filters} names={filterNames} />
          {token && (
            <ExportRows
              list="partners"
              columns={csvIn(token)}
              load={(page) => api.partners.list({ ...filter, ...page })}
            />
          )}
        </ListTools>
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

/** Columns of the file of partners, with amounts in the merchant's token. */
function csvIn(token: { readonly symbol: string; readonly decimals: number }) {
  const paid = ({ rewards }: Partner) =>
    (BigInt(rewards.claimable) + BigInt(rewards.claimed)).toString();
  const amounts = (name: string, at: (partner: Partner) => string): CsvColumn<Partner>[] => [
    { name, cell: (partner) => wholeTokens(at(partner), token.decimals) },
    { name: `${name}, base units`, cell: at },
  ];
  return [
    { name: 'Name', cell: ({ displayName }: Partner) => displayName },
    { name: 'Handle', cell: ({ handle }: Partner) => handle },
    { name: 'Address', cell: ({ address, pseudonym }: Partner) => address ?? pseudonym },
    { name: 'Links', cell: ({ linkCount }: Partner) => String(linkCount) },
    { name: 'Sales by own links', cell: ({ directSales }: Partner) => String(directSales) },
    { name: 'Sales by links below', cell: ({ networkSales }: Partner) => String(networkSales) },
    { name: 'Token', cell: () => token.symbol },
    ...amounts('Value', ({ settledValue }) => settledValue),
    ...amounts('Rewards paid or claimable', paid),
    { name: 'Since (UTC)', cell: ({ firstLinkAt }: Partner) => firstLinkAt },
  ];
}

/** Ways from a partner; none from one that hides its address. */
function PartnerMenu({ partner }: { readonly partner: Partner }) {
  const { address, handle, displayName } = partner;
  if (address === null) return null;
  return (
    <RowMenu
      of={displayName ?? handle ?? shortHex(address)}
      actions={[
        { name: 'Open', href: partnerPath(address) },
        { name: 'Invite to a campaign', href: invitePath(address) },
        { name: 'Public page', href: pathOf('distributor', { address }) },
        { name: 'Copy the address', run: () => navigator.clipboard.writeText(address) },
      ]}
    />
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
    <span className={styles.pictured}>
      <Avatar address={address} />
      <Link href={partnerPath(address)} title={address}>
        {name ?? shortHex(address)}
      </Link>
    </span>
  );
}
