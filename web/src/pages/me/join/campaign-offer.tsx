import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { nextPolicyOf } from '../../../../../engine/core/campaign.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import { EarningsRange } from '../../../components/earnings-range.tsx';
import { Facts } from '../../../components/facts.tsx';
import { NextPolicy } from '../../../components/next-policy.tsx';
import { count, duration, percent } from '../../../format.ts';
import { coveredSales, coveredText } from '../../../ledger/covered-sales.ts';
import { type Joining, joinTitle } from '../../campaign/join/join-dialog.tsx';
import styles from './join.module.css';

type Campaign = DataOf<typeof api.campaigns.list>['items'][number];
type Policy = Campaign['policy'];

interface OfferProps {
  readonly campaign: Campaign;
  /** Called when the reader wants to join it. */
  readonly onJoin: (campaign: Joining) => void;
}

/** A campaign with its terms for a distributor, and the button to join it. */
export function CampaignOffer({ campaign, onJoin }: OfferProps) {
  const {
    campaignId,
    inviteOnly = false,
    product,
    merchant,
    token,
    price,
    policy,
    rewardAvailable,
  } = campaign;
  const cover = product.media.find(({ kind, url }) => kind === 'image' && url !== undefined);
  return (
    <article className={styles.offer} aria-label={product.title}>
      {cover?.url && <img className={styles.cover} src={cover.url} alt="" loading="lazy" />}
      <div>
        <h2>
          <Link href={pathOf('campaign', campaign)}>{product.title}</Link>
        </h2>
        <p className="soft">
          by <Link href={pathOf('merchant', merchant)}>{merchant.name}</Link>
          {inviteOnly && ' · by invitation'}
        </p>
      </div>
      <EarningsRange price={price} terms={policy} token={token} />
      <Facts
        facts={[
          ['Price', <Amount key="price" value={price} token={token} />],
          ['Commission', percent(policy.commissionBps)],
          ['Your level · levels above', weightsOf(policy)],
          ['Held for', duration(policy.holdSeconds)],
          ['Self-referral', policy.excludesSelfReferral ? 'Excluded' : 'Allowed'],
          ['Budget left', <Amount key="left" value={rewardAvailable} token={token} />],
          ['It covers', <Covered key="covered" campaignId={campaignId} policy={policy} />],
          ['Completed sales', count(campaign.settledSales)],
        ]}
      />
      <Scheduled campaignId={campaignId} />
      <div>
        <Button
          main={!inviteOnly}
          onClick={() => onJoin({ campaignId, title: product.title, inviteOnly })}
          aria-label={joinTitle(inviteOnly, product.title)}
        >
          {inviteOnly ? 'Ask to join' : 'Join'}
        </Button>
      </div>
    </article>
  );
}

interface CoveredProps {
  readonly campaignId: string;
  readonly policy: Policy;
}

/** Number of sales that the budget still pays in full. */
function Covered({ campaignId, policy }: CoveredProps) {
  const { data } = useApi(['campaigns.get'], api.campaigns.get, { campaignId });
  if (data === undefined) return '…';
  return coveredText(coveredSales(data.data, policy));
}

/** The next version of the policy, if one is scheduled: later sales follow its terms. */
function Scheduled({ campaignId }: { readonly campaignId: string }) {
  const { data } = useApi(['campaigns.policy'], api.campaigns.policy, { campaignId });
  const scheduled = data?.data.scheduled ?? [];
  const order = scheduled.map(({ version, effectiveAt }) => ({
    version,
    effectiveAt: Date.parse(effectiveAt),
  }));
  const version = nextPolicyOf(order)?.version;
  const next = scheduled.find((policy) => policy.version === version);
  if (next === undefined) return null;
  return <NextPolicy policy={next} shares={weightsOf(next)} />;
}

const weightsOf = ({ weightsBps, maxRewardedAncestors }: Policy): string =>
  weightsBps.slice(0, maxRewardedAncestors).map(percent).join(' · ');
