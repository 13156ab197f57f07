import { Link } from 'wouter';
import { MINE } from '../account/use-session.ts';
import { api, type DataOf, useApi } from '../api.ts';
import { Amount } from '../components/amount.tsx';
import { Card } from '../components/card.tsx';
import { Time } from '../components/time.tsx';
import { checkoutPath } from '../offer/use-offer.ts';
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
            <Link href={pathTo(intent)}>
              Continue the purchase of campaign {intent.campaignId} for{' '}
              <Amount value={intent.amount} token={intent.token} />
            </Link>{' '}
            <span className="soft">
              begun <Time at={intent.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A stored state is the last one that was reconciled: one that has run out meanwhile is still `created`. */
function isUnfinished({ state, expiresAt }: Intent): boolean {
  return state === 'submitted' || (state === 'created' && Date.parse(expiresAt) > Date.now());
}

function pathTo({ campaignId, skuHash, nodeId, id }: Intent): string {
  return checkoutPath({ campaignId, skuHash, nodeId: nodeId ?? undefined }, id);
}
