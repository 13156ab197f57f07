import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { ReferralLink } from '../../../components/referral-link.tsx';
import { count } from '../../../format.ts';
import styles from '../me.module.css';
import { Label } from './label.tsx';
import { conversionRate, totalSales } from './rate.ts';

/** The links of the account, newest first. */
export function Links() {
  const pages = usePages([MINE, 'links.mine'], api.links.mine, { limit: 20 });
  return (
    <ListCard
      title="Links"
      aside={<Link href={pathOf('join')}>Campaigns to join</Link>}
      caption="Your links"
      pages={pages}
      empty="You have no link yet. Join a campaign to get one."
      rowKey={({ nodeId }) => nodeId}
      columns={[
        {
          name: 'Link',
          cell: ({ nodeId, label, code, campaign }) => (
            <>
              <Link href={pathOf('myLink', { nodeId })}>{campaign.product.title}</Link>
              <Label nodeId={nodeId} label={label} />
              {code !== null && (
                <span className={styles.address}>
                  <ReferralLink code={code} />
                </span>
              )}
            </>
          ),
        },
        column.count('Opened', 'opens'),
        { name: 'Sales', numeric: true, cell: ({ sales }) => count(totalSales(sales)) },
        {
          name: 'Sales per visit',
          numeric: true,
          cell: ({ opens, sales }) => conversionRate(opens, totalSales(sales)),
        },
        column.count('Sales below it', 'networkSales'),
        column.count('Links under it', 'childCount'),
        column.time('Joined', 'joinedAt'),
      ]}
    />
  );
}
