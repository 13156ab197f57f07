import { useId } from 'react';
import { Amount } from '../components/amount.tsx';
import { shortHex } from '../format.ts';
import styles from './offer.module.css';
import { type Campaign, type Price, usePrices } from './use-offer.ts';

interface Props {
  readonly campaign: Campaign;
  /** The chosen SKU; `undefined` is the campaign’s own. */
  readonly chosen: string | undefined;
  readonly onChoose: (skuHash: string) => void;
}

/** The variants of a product with their prices, to choose one; nothing if there is one price. */
export function Variants({ campaign, chosen, onChoose }: Props) {
  const name = useId();
  const prices = usePrices(campaign.campaignId).data?.data.items ?? [];
  if (prices.length < 2) return null;
  const isChosen = ({ skuHash, isOwnSku }: Price) =>
    chosen === undefined ? isOwnSku : skuHash === chosen;
  return (
    <fieldset className={styles.variants}>
      <legend>Variant</legend>
      {prices.map((price) => (
        <label key={price.skuHash} className={styles.variant}>
          <input
            type="radio"
            name={name}
            checked={isChosen(price)}
            onChange={() => onChoose(price.skuHash)}
          />
          <span className={styles.variantName}>{nameOf(price)}</span>
          <Amount value={price.price} token={campaign.token} />
        </label>
      ))}
    </fieldset>
  );
}

function nameOf({ variant, isOwnSku, skuHash }: Price): string {
  return variant?.name ?? (isOwnSku ? 'Standard' : `SKU ${shortHex(skuHash)}`);
}
