import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { Thumbnail } from '../../components/pictures.tsx';
import { duration } from '../../format.ts';
import { Disclosure } from '../../offer/disclosure.tsx';
import { Refusals } from '../../offer/refusals.tsx';
import { type Campaign, type Choice, useChosenSku, usePreview } from '../../offer/use-offer.ts';
import { Variants } from '../../offer/variants.tsx';
import { ProfileContact } from '../../purchase/merchant-contact.tsx';
import styles from './checkout.module.css';

interface Props {
  readonly campaign: Campaign;
  readonly choice: Choice;
  /** True once the purchase has begun: then its variant is fixed. */
  readonly isBegun: boolean;
}

/** The order: product, price and merchant, who earns from it, and how long it can be refunded. */
export function Order({ campaign, choice, isBegun }: Props) {
  const { product, merchant } = campaign;
  const [, choose] = useChosenSku();
  const preview = usePreview(choice);
  return (
    <Card title="Your order">
      <div className={styles.order}>
        <Thumbnail product={product} />
        <div className="stack start">
          <Answered query={preview} what="The price">
            {({ data }) => (
              <>
                <Facts
                  facts={[
                    ['Product', product.title],
                    ['Variant', data.variant?.name],
                    ['Price', <Amount key="price" value={data.price} token={data.token} />],
                    [
                      'Merchant',
                      <AddressLink
                        key="merchant"
                        address={merchant.address}
                        to="merchants"
                        name={merchant.name}
                      />,
                    ],
                    ['Refund possible for', duration(data.holdSeconds)],
                  ]}
                />
                {!isBegun && (
                  <Variants campaign={campaign} chosen={choice.skuHash} onChoose={choose} />
                )}
                {!isBegun && !data.buyable && <Refusals refusals={data.refusals} />}
                <Disclosure preview={data} />
              </>
            )}
          </Answered>
          <ProfileContact merchant={merchant} about={product.title} />
          <p className="soft">
            One order buys one piece. Refund policy of the merchant:{' '}
            {product.refundPolicy === '' ? 'none was written.' : product.refundPolicy}
          </p>
        </div>
      </div>
    </Card>
  );
}
