import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { AddressLink } from '../components/address-link.tsx';
import { Amount } from '../components/amount.tsx';
import { Answered } from '../components/answered.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { Card } from '../components/card.tsx';
import { Loading, type PartSize } from '../components/loading.tsx';
import { Disclosure } from './disclosure.tsx';
import styles from './offer.module.css';
import { Refusals } from './refusals.tsx';
import { type Campaign, checkoutPath, useChosenSku, usePreview } from './use-offer.ts';
import { Variants } from './variants.tsx';

const PRICE: PartSize = [2.2, 2.2];
/** A button, and the lines on who earns from the purchase. */
const WAY: PartSize = [9.2, 10.4];

interface Props {
  readonly campaign: Campaign;
  /** The link that sells; `undefined` for a sale without a link. */
  readonly nodeId?: string | undefined;
}

/** Price, variants and who earns from it, with the way to the checkout. */
export function BuyBox({ campaign, nodeId }: Props) {
  const { campaignId, merchant } = campaign;
  const [skuHash, choose] = useChosenSku();
  const choice = { campaignId, skuHash, nodeId };
  const preview = usePreview(choice);
  const name = merchant.slug === merchant.address ? undefined : merchant.name;
  return (
    <Card title="Buy">
      <div className="stack">
        <Answered query={preview} what="The price" size={PRICE}>
          {({ data }) => (
            <p className={styles.price}>
              <Amount value={data.price} token={data.token} />
            </p>
          )}
        </Answered>
        <p>
          Sold by <AddressLink address={merchant.address} to="merchants" name={name} />
        </p>
        <Variants campaign={campaign} chosen={skuHash} onChoose={choose} />
        {preview.isPending && <Loading what="the way to buy" size={WAY} />}
        {preview.data && (
          <>
            {preview.data.data.buyable ? (
              <ButtonLink main href={checkoutPath(choice)}>
                Buy
              </ButtonLink>
            ) : (
              <Refusals refusals={preview.data.data.refusals} />
            )}
            <Disclosure preview={preview.data.data} />
          </>
        )}
        <p className="soft">
          Rewards and sales of this product are public:{' '}
          <Link href={pathOf('campaign', { campaignId })}>campaign {campaignId}</Link>
        </p>
      </div>
    </Card>
  );
}
