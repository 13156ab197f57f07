import { Link } from 'wouter';
import { MINE } from '../account/session.ts';
import { api, type DataOf, useApi } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Card } from '../components/card.tsx';
import { Thumbnail } from '../components/pictures.tsx';
import { Time } from '../components/time.tsx';
import { checkoutPath, useCampaign } from '../offer/use-offer.ts';
import styles from './purchase.module.css';

type Intent = DataOf<typeof api.intents.list>['items'][number];

interface Props {
  /** Only purchases of this campaign; default all. */
  readonly campaignId?: string;
}

/** Purchases that were begun and are not finished, to continue them; nothing if there are none. */
export function Unfinished({ campaignId }: Props) {
  const query = useApi([MINE, 'intents.list'], api.intents.list, { campaignId, limit: 20 });
  const unfinished = (query.data?.data.items ?? []).filter(isUnfinished);
  if (unfinished.length === 0) return null;
  return (
    <Card title="Unfinished purchases">
      <ul className={styles.links}>
        {unfinished.map((intent) => (
          <li key={intent.id}>
            <Begun intent={intent} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Begun({ intent }: { readonly intent: Intent }) {
  const product = useCampaign(intent.campaignId).data?.data.product;
  return (
    <div className={styles.begun}>
      {product && <Thumbnail product={product} />}
      <span>
        <Link href={pathTo(intent)}>
          Continue to buy {product?.title ?? `from campaign ${intent.campaignId}`}
        </Link>{' '}
        for <Amount value={intent.amount} token={intent.token} />
        <br />
        <span className="soft">
          begun <Time at={intent.createdAt} />
        </span>
      </span>
    </div>
  );
}

/** A stored state is the last one that was reconciled: one that has run out meanwhile is still `created`. */
function isUnfinished({ state, expiresAt }: Intent): boolean {
  return state === 'submitted' || (state === 'created' && Date.parse(expiresAt) > Date.now());
}

function pathTo({ campaignId, skuHash, nodeId, id }: Intent): string {
  return checkoutPath({ campaignId, skuHash, nodeId: nodeId ?? undefined }, id);
}
