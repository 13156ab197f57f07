import type { BundleVerification } from '../../../../engine/verify/bundle/index.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { Hash } from '../../components/hash.tsx';
import { SaleState } from '../../components/sale-state.tsx';
import { Time } from '../../components/time.tsx';

type Receipt = NonNullable<BundleVerification['receipt']>;

/** Facts that the proofs alone establish, without believing the file. */
export function Proven({ receipt }: { readonly receipt: Receipt }) {
  const { amount, buyer, campaign, campaignId, skuHash, split, state, soldAt } = receipt;
  const token = { symbol: campaign.tokenSymbol, decimals: campaign.tokenDecimals };
  return (
    <div className="stack">
      <h3>What is proven</h3>
      <Facts
        facts={[
          ['Price', <Amount key="amount" value={amount} token={token} exact />],
          ['Buyer', <AddressLink key="buyer" address={buyer} />],
          ['Merchant', <AddressLink key="merchant" address={campaign.merchant} />],
          ['Campaign', campaignId],
          ['Sold', <Time key="at" at={soldAt} />],
          ['Reward', <Amount key="pool" value={split.pool} token={token} exact />],
          ['SKU hash', <Hash key="sku" value={skuHash} label="SKU hash" />],
          ['State', <SaleState key="state" value={state} />],
        ]}
      />
      {split.shares.length > 0 && (
        <DataTable
          caption="What each level gets"
          rows={split.shares}
          rowKey={({ level }) => String(level)}
          columns={[
            { name: 'Level', cell: ({ level }) => level },
            { name: 'Recipient', cell: ({ recipient }) => <AddressLink address={recipient} /> },
            {
              name: 'Share',
              numeric: true,
              cell: (share) => <Amount value={share.amount} token={token} exact />,
            },
          ]}
        />
      )}
    </div>
  );
}
