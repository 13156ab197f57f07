import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, useApi } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Cards } from '../../components/card.tsx';
import { HeadRow } from '../../components/head-row.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Pictures } from '../../components/pictures.tsx';
import { AboutProduct } from '../../offer/about-product.tsx';
import { Offer } from '../../offer/offer.tsx';
import { useCampaign } from '../../offer/use-offer.ts';
import { Share } from '../../share/share.tsx';
import { NotFoundPage } from '../not-found/index.tsx';
import { CampaignsCard } from './campaigns-card.tsx';

type Product = DataOf<typeof api.products.get>;

const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** A product with its pictures, its price, and the campaigns that sell it. */
export function ProductPage({ productId }: { readonly productId: string }) {
  return ID.test(productId) ? <Known productId={productId} /> : <NotFoundPage />;
}

function Known({ productId }: { readonly productId: string }) {
  const query = useApi(['products.get'], api.products.get, { id: productId });
  const title = query.data?.data.title ?? 'Product';
  return (
    <>
      <PageHead title={title} kind="Product">
        {query.data && (
          <HeadRow>
            <Seller product={query.data.data} />
            <Share path={pathOf('product', { productId })} title={title} />
          </HeadRow>
        )}
      </PageHead>
      <Answered query={query} what={`The product ${productId}`}>
        {({ data }) => <Body product={data} />}
      </Answered>
    </>
  );
}

function Body({ product }: { readonly product: Product }) {
  const campaigns = product.usedBy ?? [];
  const selling = campaigns.find(({ state }) => state === 'FUNDED_ACTIVE') ?? campaigns[0];
  return (
    <Cards>
      {selling ? (
        <SoldBy campaignId={selling.campaignId} />
      ) : (
        <>
          <Pictures product={product} />
          <AboutProduct product={product} />
          <Panel title="Not for sale here">
            <p>
              No listed campaign sells this product.{' '}
              <Link href={pathOf('home')}>Search for others</Link>
            </p>
          </Panel>
        </>
      )}
      {campaigns.length > 1 && <CampaignsCard campaigns={campaigns} />}
    </Cards>
  );
}

function SoldBy({ campaignId }: { readonly campaignId: string }) {
  const query = useCampaign(campaignId);
  return (
    <Answered query={query} what="The offer">
      {({ data }) => <Offer campaign={data} />}
    </Answered>
  );
}

/** The merchant: a campaign names it; the product itself has only the id of its profile. */
function Seller({ product }: { readonly product: Product }) {
  const campaignId = product.usedBy?.[0]?.campaignId;
  return campaignId === undefined ? null : <CampaignSeller campaignId={campaignId} />;
}

function CampaignSeller({ campaignId }: { readonly campaignId: string }) {
  const query = useCampaign(campaignId);
  if (query.data === undefined) return <Loading what="the merchant" />;
  const { merchant } = query.data.data;
  return (
    <p>
      by <AddressLink address={merchant.address} to="merchants" name={merchant.name} />
    </p>
  );
}
