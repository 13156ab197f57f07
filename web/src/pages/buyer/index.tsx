import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, useApi, usePages } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { AsOf } from '../../components/finality.tsx';
import { ListCard } from '../../components/list.tsx';
import { NoSuchPage } from '../../components/no-such-page.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { receiptColumn } from '../../components/receipt-columns.tsx';
import { shortHex } from '../../format.ts';

const PAGE = 25;
const { buyer: itself, ...shown } = receiptColumn;
const columns = Object.values(shown);

/** Purchases of an account, and the pages of its other roles. */
export function BuyerPage({ address }: { readonly address: string }) {
  if (!isAddress(address)) {
    return (
      <NoSuchPage what={`${address} is not an address.`} hint="It has 0x and 40 hex digits." />
    );
  }
  return <Buyer address={address} />;
}

function isAddress(text: string): text is `0x${string}` {
  return /^0x[0-9a-f]{40}$/i.test(text);
}

function Buyer({ address }: { readonly address: `0x${string}` }) {
  const pages = usePages(['receipts.recent'], api.receipts.recent, { buyer: address, limit: PAGE });
  return (
    <>
      <PageHead
        title={`Account ${shortHex(address)}`}
        kind={<Breadcrumbs above={[['Sales', pathOf('sales')]]} here={shortHex(address)} />}
      >
        <p>
          <AddressLink address={address} />
        </p>
        <AsOf meta={pages.meta} />
      </PageHead>
      <Cards>
        <ListCard
          title="Bought"
          caption="What the account bought, newest first"
          pages={pages}
          empty="This account has bought nothing."
          rowKey={({ saleId, campaignId }) => `${campaignId}/${saleId}`}
          columns={columns}
        />
        <Roles address={address} />
      </Cards>
    </>
  );
}

/** Links to what else the account is. */
function Roles({ address }: { readonly address: string }) {
  const query = useApi(['search.find'], api.search.find, { q: address, types: ['account'] });
  return (
    <Card title="Other roles">
      <Answered query={query} what="The roles">
        {({ data }) => {
          const account = data.items.find((item) => item.type === 'account');
          const { isMerchant = false, isDistributor = false } = account ?? {};
          if (!isMerchant && !isDistributor) return <p>It sells nothing, and shares no link.</p>;
          return (
            <ul>
              {isDistributor && (
                <li>
                  <Link href={pathOf('distributor', { address })}>It shares links</Link>
                </li>
              )}
              {isMerchant && (
                <li>
                  <Link href={pathOf('merchant', { slug: address })}>It sells</Link>
                </li>
              )}
            </ul>
          );
        }}
      </Answered>
    </Card>
  );
}
