import type { ReactNode } from 'react';
import { Cards } from '../components/card.tsx';
import { Pictures } from '../components/pictures.tsx';
import { AboutProduct } from './about-product.tsx';
import { BuyBox } from './buy-box.tsx';
import styles from './offer.module.css';
import { TermsCard } from './terms-card.tsx';
import type { Campaign } from './use-offer.ts';

interface Props {
  readonly campaign: Campaign;
  readonly nodeId?: string | undefined;
  /** More cards, below the terms. */
  readonly children?: ReactNode;
}

/** A product as a buyer sees it: pictures, price, who earns from it, and the terms. */
export function Offer({ campaign, nodeId, children }: Props) {
  return (
    <div className={styles.offer}>
      <div className={styles.aside}>
        <BuyBox campaign={campaign} nodeId={nodeId} />
      </div>
      <Cards>
        <Pictures product={campaign.product} />
        <AboutProduct product={campaign.product} />
        <TermsCard campaign={campaign} />
        {children}
      </Cards>
    </div>
  );
}
