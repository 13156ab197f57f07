import type { ReactNode } from 'react';
import { Amount } from '../../components/amount.tsx';
import { Card } from '../../components/card.tsx';
import { type FactLine, Facts } from '../../components/facts.tsx';
import { Hash } from '../../components/hash.tsx';
import { Pictures } from '../../components/pictures.tsx';
import { Time } from '../../components/time.tsx';
import { count, duration } from '../../format.ts';
import type { CampaignLedgers } from '../../ledger/campaign-ledgers.ts';
import styles from './campaign.module.css';

const vouchers = {
  NATIVE_ONCHAIN: 'The contract, which buyers pay',
  MERCHANT_ATTESTED: 'The merchant; sales are paid elsewhere',
  THIRD_PARTY_VERIFIED: 'An attester; sales are paid elsewhere',
} as const;

/** The product on sale, and the campaign's progress. */
export function AboutCard({ campaign, stats }: CampaignLedgers) {
  const { product, token } = campaign;
  return (
    <Card title="About">
      <div className={styles.about}>
        <Pictures product={product} />
        {product.summary !== '' && <p className={styles.summary}>{product.summary}</p>}
      </div>
      <Facts
        facts={[
          ['Price', <Amount key="price" value={campaign.price} token={token} />],
          ['Token', token.name === undefined ? token.symbol : `${token.name} (${token.symbol})`],
          ['Sales confirmed by', vouchers[campaign.trustMode]],
          ['Who may join', campaign.inviteOnly ? 'Invited accounts' : 'Anyone'],
          ['Starts', <Time key="starts" at={campaign.startsAt} />],
          ['Ends', <Time key="ends" at={campaign.endsAt} />],
          ['Links', `${count(campaign.nodeCount)} of ${count(campaign.capacity.nodes)}`],
          ['Sales', `${count(stats.sales.recorded)} of ${count(campaign.capacity.sales)}`],
          ...saleCounts(stats),
          ['Buyers', count(stats.buyers)],
          [
            'Distributors',
            `${count(stats.distributors)}, with ${count(stats.sellingNodes)} selling links`,
          ],
          ['Median time to finalize', usual(stats.medianSecondsToFinalize)],
          ['Created', txOf(campaign.creationTx)],
        ]}
      />
    </Card>
  );
}

const saleNames = {
  pending: 'Sales on hold',
  settled: 'Completed sales',
  refunded: 'Refunded sales',
  reversed: 'Reversed sales',
  direct: 'Sales without a link',
} as const;

/** Number of sales by state; states without sales are left out. */
function saleCounts({ sales }: CampaignLedgers['stats']): FactLine[] {
  return (['pending', 'settled', 'refunded', 'reversed', 'direct'] as const).flatMap(
    (state): FactLine[] => (sales[state] === 0 ? [] : [[saleNames[state], count(sales[state])]]),
  );
}

const usual = (seconds: number | null): string | null =>
  seconds === null ? null : duration(seconds);

function txOf({ hash, explorerUrl }: CampaignLedgers['campaign']['creationTx']): ReactNode {
  return <Hash value={hash} label="transaction hash" href={explorerUrl} />;
}
