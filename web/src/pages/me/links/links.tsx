import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import { ButtonLink } from '../../../components/button-link.tsx';
import * as column from '../../../components/columns.tsx';
import { HeadAction } from '../../../components/head-action.tsx';
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
    <>
      <HeadAction>
        <ButtonLink main href={pathOf('join')}>
          Join a campaign
        </ButtonLink>
      </HeadAction>
      <ListCard
        title="Links"
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
                <span className={styles.address}>
                  {code !== null && <ReferralLink code={code} />}
                  <Label nodeId={nodeId} label={label} />
                </span>
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
    </>
  );
}
