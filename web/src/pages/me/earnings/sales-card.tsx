import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, type DataOf, useApi, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';

type Conversion = DataOf<typeof api.earnings.byConversion>['items'][number];
type State = Conversion['state'];

const states: Readonly<Record<State, { readonly name: string; readonly tone: Tone }>> = {
  reserved: { name: 'on hold', tone: 'warn' },
  claimable: { name: 'claimable', tone: 'good' },
  claimed: { name: 'claimed', tone: 'plain' },
  refunded: { name: 'refunded', tone: 'plain' },
  reversed: { name: 'reversed', tone: 'bad' },
};

/** Campaigns to choose from. */
const MAX_CAMPAIGNS = 100;

const isState = (value: string): value is State => value in states;

/** Every reward of the account, by sale, newest first. */
export function SalesCard() {
  const [state, setState] = useState('');
  const [campaignId, setCampaignId] = useState('');
  const campaigns = useApi([MINE, 'earnings.byCampaign'], api.earnings.byCampaign, {
    limit: MAX_CAMPAIGNS,
  });
  const filter = {
    ...(isState(state) ? { state } : {}),
    ...(campaignId === '' ? {} : { campaignId }),
  };
  const pages = usePages([MINE, 'earnings.byConversion'], api.earnings.byConversion, {
    ...filter,
    limit: 10,
  });
  return (
    <Card title="By sale">
      <div className="stack">
        <div className={styles.row}>
          <SelectField
            id="sales-state"
            label="State of the reward"
            options={[
              ['', 'All'],
              ...Object.entries(states).map(([value, { name }]) => [value, name] as const),
            ]}
            value={state}
            onChange={(event) => setState(event.target.value)}
          />
          <SelectField
            id="sales-campaign"
            label="Campaign"
            options={[
              ['', 'All'],
              ...(campaigns.data?.data.items ?? []).map(
                (one) => [one.campaignId, one.campaignTitle] as const,
              ),
            ]}
            value={campaignId}
            onChange={(event) => setCampaignId(event.target.value)}
          />
        </div>
        <PagedTable
          caption="Your rewards by sale"
          pages={pages}
          empty="No sale matches."
          rowKey={({ saleId, level, nodeId }) => `${saleId} ${level} ${nodeId}`}
          columns={[
            {
              name: 'Sale',
              cell: (sale) => (
                <Link href={pathOf('receipt', sale)}>
                  {sale.saleId} · {sale.campaignTitle}
                </Link>
              ),
            },
            { name: 'Your level', numeric: true, cell: ({ level }) => level },
            {
              name: 'Price',
              numeric: true,
              cell: ({ saleAmount, token }) => <Amount value={saleAmount} token={token} />,
            },
            {
              name: 'Your reward',
              numeric: true,
              cell: ({ share, token }) => <Amount value={share} token={token} />,
            },
            { name: 'State', cell: (sale) => <RewardBadge sale={sale} /> },
            { name: 'Sold', numeric: true, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
          ]}
        />
      </div>
    </Card>
  );
}

function RewardBadge({ sale }: { readonly sale: Conversion }) {
  const { state, readyToFinalize, holdUntil } = sale;
  if (readyToFinalize) return <Badge tone="good">ready to finalize</Badge>;
  return (
    <>
      <Badge tone={states[state].tone}>{states[state].name}</Badge>
      {state === 'reserved' && (
        <span className="soft">
          {' '}
          until <Time exact at={holdUntil} />
        </span>
      )}
    </>
  );
}
