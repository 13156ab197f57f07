import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { ReferralLink } from '../../../components/referral-link.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';
import { Label } from './label.tsx';
import { conversionRate, count, totalSales } from './rate.ts';

/** The links of the account, newest first. */
export function Links() {
  const pages = usePages([MINE, 'links.mine'], api.links.mine, { limit: 20 });
  return (
    <Card title="Links" aside={<Link href={pathOf('join')}>Campaigns to join</Link>}>
      <PagedTable
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
          { name: 'Opened', numeric: true, cell: ({ opens }) => count(opens) },
          { name: 'Sales', numeric: true, cell: ({ sales }) => count(totalSales(sales)) },
          {
            name: 'Sales per visit',
            numeric: true,
            cell: ({ opens, sales }) => conversionRate(opens, totalSales(sales)),
          },
          {
            name: 'Sales below it',
            numeric: true,
            cell: ({ networkSales }) => count(networkSales),
          },
          { name: 'Links under it', numeric: true, cell: ({ childCount }) => count(childCount) },
          { name: 'Joined', numeric: true, cell: ({ joinedAt }) => <Time at={joinedAt} /> },
        ]}
      />
    </Card>
  );
}
