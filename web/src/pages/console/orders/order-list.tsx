import { Link, useSearchParams } from 'wouter';
import { usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { SaleState } from '../../../components/sale-state.tsx';
import { Sold } from '../../../components/sold.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { type Filters, useFilters } from '../../../filters/use-filters.ts';
import { issueAt } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import { CampaignFilter } from '../own-campaigns.tsx';
import { disputePath, orderPath } from '../paths.ts';
import { filterFields, queryOf } from './filters.ts';

/** All orders, newest first, with a filter that is in the page's address. */
export function OrderList() {
  const { api, key } = useActing();
  const [params] = useSearchParams();
  const filters = useFilters(...filterFields);
  const query = queryOf(params);
  const pages = usePages([...key, 'receipts.forMerchant'], api.receipts.forMerchant, {
    ...query,
    limit: 25,
  });
  return (
    <>
      <Card title="Find orders">
        <OrderFilters filters={filters} error={pages.query.error} />
      </Card>
      <ListCard
        title="Orders"
        asOf
        pages={pages}
        empty={
          filters.any
            ? 'No order matches. Clear a filter to find more.'
            : 'Nothing was sold yet. Orders appear here as soon as somebody buys in one of your campaigns.'
        }
        rowKey={({ saleId }) => saleId}
        columns={[
          {
            name: 'Order',
            cell: (sale) => (
              <>
                <Link href={orderPath(sale.saleId)}>
                  {sale.saleId} · {sale.product.title}
                </Link>
                <Sold sale={sale} />
              </>
            ),
          },
          { name: 'Buyer', cell: ({ buyer }) => <AddressLink address={buyer} /> },
          column.amount('Paid', 'amount'),
          column.amount('Rewards', 'rewards'),
          {
            name: 'State',
            cell: ({ state, dispute }) => (
              <>
                <SaleState value={state} />{' '}
                {dispute && (
                  <Link href={disputePath(dispute.id)}>refund request {dispute.status}</Link>
                )}
              </>
            ),
          },
          column.time('Recorded', 'recordedAt'),
        ]}
      />
    </>
  );
}

const states = [
  ['', 'All'],
  ['pending', 'On hold'],
  ['finalized', 'Completed'],
  ['refunded', 'Refunded'],
  ['reversed', 'Reversed'],
] as const;

interface OrderFiltersProps {
  readonly filters: Filters<(typeof filterFields)[number]>;
  readonly error: Error | null;
}

function OrderFilters({ filters, error }: OrderFiltersProps) {
  const text = (name: (typeof filterFields)[number], label: string, path: string) => (
    <FilterText
      filters={filters}
      name={name}
      label={label}
      placeholder="0x…"
      problem={issueAt(error, path)}
    />
  );
  return (
    <FilterBar filters={filters}>
      <FilterSelect filters={filters} name="state" label="State" options={states} />
      <CampaignFilter filters={filters} />
      <FilterText
        filters={filters}
        name="from"
        type="date"
        label="From (UTC)"
        problem={issueAt(error, 'range')}
      />
      <FilterText filters={filters} name="to" type="date" label="To (UTC)" />
      {text('buyer', 'Buyer', 'buyer')}
      {text('order', 'Order key', 'orderKey')}
      {text('sku', 'SKU hash', 'skuHash')}
    </FilterBar>
  );
}
