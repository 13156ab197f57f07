import { Link } from 'wouter';
import type { Client } from '../../../engine/client/index.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { DataOf } from '../api.ts';
import { campaignName } from '../campaign-name.ts';
import { countOf, duration, percent } from '../format.ts';
import { CampaignState } from './campaign-state.tsx';
import * as column from './columns.tsx';
import type { TableColumn } from './data-table.tsx';
import { Picture } from './picture.tsx';
import styles from './values.module.css';

type Summary = DataOf<Client['campaigns']['list']>['items'][number];

/** The columns of lists of campaigns. */
export const campaignColumn = {
  campaign: {
    name: 'Campaign',
    cell: (campaign) => (
      <span className={styles.pictured}>
        <Picture media={campaign.product.media} alt="" size="thumb" name={campaignName(campaign)} />
        <Link href={pathOf('campaign', campaign)}>{campaignName(campaign)}</Link>
      </span>
    ),
  },
  merchant: {
    name: 'Merchant',
    cell: ({ merchant }) => <Link href={pathOf('merchant', merchant)}>{merchant.name}</Link>,
  },
  state: { name: 'State', cell: ({ state }) => <CampaignState value={state} /> },
  price: column.amount('Price', 'price'),
  reward: {
    name: 'Reward',
    numeric: true,
    cell: ({ policy }) =>
      `${percent(policy.commissionBps)}, ${countOf(policy.maxRewardedAncestors, 'level')}`,
  },
  hold: { name: 'Hold', numeric: true, cell: ({ policy }) => duration(policy.holdSeconds) },
  left: column.amount('Rewards left', 'rewardAvailable'),
  completed: column.count('Completed sales', 'settledSales'),
} satisfies Readonly<Record<string, TableColumn<Summary>>>;

/** All of them. */
export const campaignColumns: readonly TableColumn<Summary>[] = Object.values(campaignColumn);
