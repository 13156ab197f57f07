import { Link, useSearchParams } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import * as column from '../../../components/columns.tsx';
import type { TableColumn } from '../../../components/data-table.tsx';
import { ExportRows } from '../../../components/export-rows.tsx';
import { ListCard } from '../../../components/list.tsx';
import { ListTools } from '../../../components/list-tools.tsx';
import { type RowAction, RowMenu } from '../../../components/row-menu.tsx';
import { amountColumns, saleCsv, stateOptions } from '../../../components/sale-csv.ts';
import { SaleState } from '../../../components/sale-state.tsx';
import { Sold } from '../../../components/sold.tsx';
import { SortSelect } from '../../../components/sort-select.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../../filters/filter-bar.tsx';
import { saleOrders, sortingOf } from '../../../filters/order.ts';
import { SalePeriod, SalePrice } from '../../../filters/sale-filters.tsx';
import { SavedFilters } from '../../../filters/saved-filters.tsx';
import { type Filters, useFilters } from '../../../filters/use-filters.ts';
import { issueAt } from '../../../form-issues.ts';
import { words } from '../../../format.ts';
import { useActing } from '../acting.tsx';
import { CampaignFilter } from '../own-campaigns.tsx';
import { campaignPath, disputePath, orderPath, sectionPath } from '../paths.ts';
import { DeliveriesDownload } from './delivery-details.tsx';
import { filterFields, queryOf } from './filters.ts';

type Order = DataOf<Client['receipts']['forMerchant']>['items'][number];

const columns: readonly TableColumn<Order>[] = [
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
  { ...column.amount('Paid', 'amount'), sort: { ascending: 'lowest', descending: 'highest' } },
  column.amount('Rewards', 'rewards'),
  {
    name: 'State',
    cell: ({ state, dispute }) => (
      <>
        <SaleState value={state} />{' '}
        {dispute && (
          <Link href={disputePath(dispute.id)}>refund request {words(dispute.status)}</Link>
        )}
      </>
    ),
  },
  {
    ...column.time('Recorded', 'recordedAt'),
    sort: { ascending: 'oldest', descending: 'newest' },
  },
];

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
      columns={columns}
      menu={(sale) => <RowMenu of={`order ${sale.saleId}`} actions={actionsOf(sale)} />}
      sorting={sortingOf(filters, saleOrders, 'newest')}
    >
      <OrderFilters filters={filters} error={pages.query.error} />
      <ListTools>
        <SavedFilters list="orders" filters={filters} names={filterFields} />
        <div className="actions">
          <DeliveriesDownload />
          <ExportRows
            list="orders"
            columns={orderCsv}
            load={(page) => api.receipts.forMerchant({ ...query, ...page })}
          />
        </div>
      </ListTools>
    </ListCard>
  );
}

/** Ways from an order to what belongs to it. */
function actionsOf(sale: Order): RowAction[] {
  const { saleId, dispute, campaignId, buyer, refundable } = sale;
  const order = orderPath(saleId);
  return [
    { name: 'Open', href: order },
    ...(dispute ? [{ name: 'Answer the refund request', href: disputePath(dispute.id) }] : []),
    ...(refundable && !dispute ? [{ name: 'Refund', href: `${order}#refund` }] : []),
    { name: 'Public receipt', href: pathOf('receipt', sale) },
    { name: 'Campaign', href: campaignPath(campaignId) },
    { name: 'Orders of this buyer', href: `${sectionPath('orders')}?buyer=${buyer}` },
    { name: 'Copy the buyer’s address', run: () => navigator.clipboard.writeText(buyer) },
  ];
}

const orderCsv = [
  ...saleCsv,
  ...amountColumns<Order>('Proceeds', ({ proceeds }) => proceeds),
  ...amountColumns<Order>('Rewards', ({ rewards }) => rewards),
  { name: 'Order key', cell: ({ orderKey }: Order) => orderKey },
  { name: 'Refund request', cell: ({ dispute }: Order) => dispute?.status },
];

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
  // A link to the page may set one of these; no one types a hash.
  const isGiven = (name: (typeof filterFields)[number]) => filters.get(name) !== undefined;
  return (
    <FilterBar filters={filters}>
      <FilterText
        filters={filters}
        name="q"
        label="Number, product or buyer"
        placeholder="#579, coffee or 0x3a23"
        problem={issueAt(error, 'q')}
        wide
      />
      <FilterSelect filters={filters} name="state" label="State" options={stateOptions} />
      <CampaignFilter filters={filters} />
      <SalePeriod filters={filters} error={error} />
      <SalePrice filters={filters} error={error} />
      {isGiven('buyer') && text('buyer', 'Buyer', 'buyer')}
      {isGiven('key') && text('key', 'Order key', 'orderKey')}
      {isGiven('sku') && text('sku', 'SKU hash', 'skuHash')}
      <SortSelect filters={filters} options={saleOrders} />
    </FilterBar>
  );
}
