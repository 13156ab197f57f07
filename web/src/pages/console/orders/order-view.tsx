import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, api as publicApi, useApi } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { Hash } from '../../../components/hash.tsx';
import { SaleState } from '../../../components/sale-state.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf, words } from '../../../format.ts';
import { useStatus } from '../../../status.ts';
import { Timeline } from '../../receipt/timeline.tsx';
import { useActing } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';
import { disputePath, sectionPath } from '../paths.ts';
import { SaleOperation } from '../sale-operation.tsx';
import { DeliveryDetails } from './delivery-details.tsx';

type Receipt = DataOf<typeof publicApi.receipts.get>;

/** One order: what was sold to whom, how it is delivered, what happened, and how to refund or reverse it. */
export function OrderView({ saleId }: { readonly saleId: string }) {
  const chainId = useStatus().data?.data.deployment.chainId;
  const { key } = useActing();
  const receipt = useApi(
    [...key, 'receipts.get'],
    publicApi.receipts.get,
    { chainId: chainId ?? 0, saleId },
    { enabled: chainId !== undefined },
  );
  return (
    <>
      <p>
        <Link href={sectionPath('orders')}>All orders</Link>
      </p>
      <Answered query={receipt} what={`Order ${saleId}`} size={[22.4, 31.5]}>
        {({ data, meta }) => (
          <>
            <Card
              title={`Order ${saleId} · ${data.product.title}`}
              aside={<SaleState value={data.state} />}
            >
              <Head receipt={data} />
              <AsOf meta={meta} />
            </Card>
            <Order receipt={data} />
            <Timeline receipt={data} />
          </>
        )}
      </Answered>
    </>
  );
}

function Head({ receipt }: { readonly receipt: Receipt }) {
  const { buyer, token, amount, split, refundedTotal, variant, productVersion } = receipt;
  return (
    <Facts
      facts={[
        ['Buyer', <AddressLink key="buyer" address={buyer} />],
        [
          'Campaign',
          <Link key="campaign" href={pathOf('campaign', receipt)}>
            {`Campaign ${receipt.campaignId}`}
          </Link>,
        ],
        ['Variant', variant?.name],
        ['Version sold', productVersion === null ? null : String(productVersion)],
        ['Paid', <Amount key="amount" value={amount} token={token} />],
        ['Rewards reserved', <Amount key="pool" value={split.reserved} token={token} />],
        [
          'Refunded',
          refundedTotal === '0' ? null : (
            <Amount key="refunded" value={refundedTotal} token={token} />
          ),
        ],
        ['Recorded', <Time key="at" at={receipt.recordedAt} />],
        ['Hold until', <Time key="hold" at={receipt.holdUntil} />],
        ['Order key', <Hash key="key" value={receipt.orderKey} label="order key" />],
        ['SKU', <Hash key="sku" value={receipt.skuHash} label="SKU hash" />],
        [
          'Receipt',
          <Link key="receipt" href={pathOf('receipt', receipt)}>
            why each amount, and its verification
          </Link>,
        ],
      ]}
    />
  );
}

/** The merchant's side of the order: delivery, refund request, and what can be done about it. */
function Order({ receipt }: { readonly receipt: Receipt }) {
  const { api, key } = useActing();
  const { orderKey, buyer, campaignId, saleId } = receipt;
  const query = useApi([...key, 'orders.get'], api.orders.get, { orderKey, buyer, campaignId });
  return (
    <Answered query={query} what={`Order ${saleId}`}>
      {({ data }) => {
        const item = data.items.find(({ sale }) => sale?.saleId === saleId);
        return (
          <>
            <Card title="Delivery">
              <Delivery receipt={receipt} />
              {item?.intent && (
                <p className="soft">
                  Bought through this service: the purchase is {words(item.intent.state)}, begun{' '}
                  <Time at={item.intent.createdAt} />.
                </p>
              )}
            </Card>
            {item?.sale?.hasDetails && (
              <Card title="Contact and delivery address">
                <DeliveryDetails saleId={saleId} />
              </Card>
            )}
            {item?.sale?.dispute && (
              <Card title="Refund request">
                <p>
                  The buyer asked for a refund; the request is {words(item.sale.dispute.status)}.{' '}
                  <Link href={disputePath(item.sale.dispute.id)}>Read and answer it</Link>
                </p>
              </Card>
            )}
            <Card title="Refund or reverse" id="refund">
              <Actions receipt={receipt} refundable={item?.sale?.refundable ?? false} />
            </Card>
          </>
        );
      }}
    </Answered>
  );
}

const modes = {
  download: 'The buyer downloads the files.',
  external: 'It is delivered at an address of yours, which the buyer gets.',
  manual: 'You deliver it yourself.',
} as const;

/** How the version that was sold is delivered, and whether the buyer can have it now. */
function Delivery({ receipt }: { readonly receipt: Receipt }) {
  const { product, productVersion: version, state, hold } = receipt;
  const sold = useApi(
    ['versions.get'],
    publicApi.versions.get,
    { id: product.id, version: version ?? 0 },
    { enabled: version !== null },
  );
  if (version === null) {
    return (
      <p>Nothing is known of the delivery: this product had no description when it was sold.</p>
    );
  }
  return (
    <Answered query={sold} what="The product" size={[4, 8]}>
      {({ data }) => {
        const waits = data.accessTiming === 'afterHold' && !hold.over && state === 'pending';
        const gone = state === 'refunded' || state === 'reversed';
        return (
          <Facts
            facts={[
              ['How', modes[data.fulfillmentMode]],
              [
                'Access',
                gone
                  ? 'ended with the refund'
                  : waits
                    ? 'begins when the hold is over'
                    : 'open to the buyer',
              ],
              ['Begins', waits && <Time key="from" at={receipt.holdUntil} />],
              ['Refund policy sold', receipt.refundPolicy],
            ]}
          />
        );
      }}
    </Answered>
  );
}

interface ActionsProps {
  readonly receipt: Receipt;
  /** Whether the chain would still refund it. */
  readonly refundable: boolean;
}

function Actions({ receipt, refundable }: ActionsProps) {
  const { saleId, token, amount, refundedTotal, trustMode, state, levels } = receipt;
  const left = BigInt(amount) - BigInt(refundedTotal);
  if (refundable) {
    return (
      <div className="stack">
        <p>
          A refund pays the buyer back and releases the rewards of {countOf(levels.length, 'level')}
          . It is possible until the sale is finalized.
        </p>
        <ForRole needs="admin">
          <SaleOperation kind="refund" saleId={saleId} token={token} left={left} />
        </ForRole>
      </div>
    );
  }
  if (trustMode !== 'NATIVE_ONCHAIN' && state === 'finalized') {
    return (
      <div className="stack">
        <p>
          This sale was paid elsewhere. Within 30 days of its finalization you can reverse it, which
          cancels the rewards that were not claimed.
        </p>
        <ForRole needs="admin">
          <SaleOperation kind="reverse" saleId={saleId} token={token} left={left} />
        </ForRole>
      </div>
    );
  }
  return (
    <p>
      {state === 'finalized'
        ? 'The sale is finalized: the chain refunds nothing of it any more.'
        : 'Nothing is left to refund.'}
    </p>
  );
}
