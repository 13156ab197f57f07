import type { FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Field } from '../../../components/field.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { SaleState } from '../../../components/sale-state.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Sold } from '../../../components/sold.tsx';
import { Time } from '../../../components/time.tsx';
import { issueAt } from '../../../issues.ts';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { nameOf, useOwnCampaigns } from '../own-campaigns.tsx';
import { disputePath, orderPath } from '../paths.ts';
import { filterFields, queryOf } from './filters.ts';

/** All orders, newest first, with a filter that is in the page's address. */
export function OrderList() {
  const { api, key } = useActing();
  const [params] = useSearchParams();
  const query = queryOf(params);
  const pages = usePages([...key, 'receipts.forMerchant', query], (page, options) =>
    api.receipts.forMerchant({ ...query, ...page, limit: 25 }, options),
  );
  const isFiltered = Object.keys(query).length > 0;
  return (
    <>
      <Card title="Find orders">
        <Filter key={params.toString()} error={pages.query.error} />
      </Card>
      <Card title="Orders" aside={<AsOf meta={pages.meta} />}>
        <PagedTable
          caption="Orders"
          pages={pages}
          empty={
            isFiltered
              ? 'No orders match. Empty a field of the filter to find more.'
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
            {
              name: 'Paid',
              numeric: true,
              cell: ({ amount, token }) => <Amount value={amount} token={token} />,
            },
            {
              name: 'Rewards',
              numeric: true,
              cell: ({ rewards, token }) => <Amount value={rewards} token={token} />,
            },
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
            { name: 'Recorded', numeric: true, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
          ]}
        />
      </Card>
    </>
  );
}

function Filter({ error }: { readonly error: Error | null }) {
  const [params, setParams] = useSearchParams();
  const campaigns = useOwnCampaigns();
  const now = (name: (typeof filterFields)[number]) => params.get(name) ?? '';
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const filled = filterFields
      .map((name) => [name, String(form.get(name) ?? '').trim()])
      .filter(([, value]) => value !== '');
    setParams(new URLSearchParams(filled));
  }
  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        <SelectField id="state" name="state" label="State" defaultValue={now('state')}>
          <option value="">All</option>
          <option value="pending">On hold</option>
          <option value="finalized">Completed</option>
          <option value="refunded">Refunded</option>
          <option value="reversed">Reversed</option>
        </SelectField>
        <SelectField
          // The choice of the address is there once the campaigns are.
          key={campaigns.isSuccess ? 'campaigns' : 'loading'}
          id="campaign"
          name="campaign"
          label="Campaign"
          defaultValue={now('campaign')}
          problem={issueAt(error, 'campaignId')}
        >
          <option value="">All</option>
          {campaigns.data?.data.items.map((own) =>
            own.campaign === null ? null : (
              <option key={own.campaign.campaignId} value={own.campaign.campaignId}>
                {nameOf(own)}
              </option>
            ),
          )}
        </SelectField>
        <Field
          id="from"
          name="from"
          type="date"
          label="From (UTC)"
          defaultValue={now('from')}
          problem={issueAt(error, 'range')}
        />
        <Field id="to" name="to" type="date" label="To (UTC)" defaultValue={now('to')} />
        <Field
          id="buyer"
          name="buyer"
          label="Buyer"
          placeholder="0x…"
          defaultValue={now('buyer')}
          problem={issueAt(error, 'buyer')}
        />
        <Field
          id="order"
          name="order"
          label="Order key"
          placeholder="0x…"
          defaultValue={now('order')}
          problem={issueAt(error, 'orderKey')}
        />
        <Field
          id="sku"
          name="sku"
          label="SKU hash"
          placeholder="0x…"
          defaultValue={now('sku')}
          problem={issueAt(error, 'skuHash')}
        />
      </div>
      <div className={styles.row}>
        <Button type="submit" main>
          Find
        </Button>
        <Button onClick={() => setParams(new URLSearchParams())}>Show all</Button>
      </div>
    </form>
  );
}
