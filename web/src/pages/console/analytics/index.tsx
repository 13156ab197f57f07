import { useState } from 'react';
import { useRead } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { useActing } from '../acting.tsx';
import styles from '../console.module.css';
import { CampaignSelect } from '../own-campaigns.tsx';
import { Breakdowns } from './breakdowns.tsx';
import { Charts } from './charts.tsx';
import { daysBefore } from './days.ts';
import { Totals } from './totals.tsx';

const periods = [7, 30, 90, 365] as const;

/** Sales, rewards and growth over time, of all campaigns or of one. */
export default function AnalyticsSection() {
  const { api, key } = useActing();
  const [days, setDays] = useState(30);
  const [campaignId, setCampaign] = useState('');
  const range = daysBefore(new Date(), days);
  const query = useRead([...key, 'analytics', campaignId, range.from, range.to], (options) =>
    campaignId === ''
      ? api.analytics.merchant({ range }, options)
      : api.analytics.campaign({ campaignId, range }, options),
  );
  return (
    <>
      <Card title="Period">
        <div className={styles.fields}>
          <SelectField
            id="days"
            label="Days (UTC)"
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
          >
            {periods.map((one) => (
              <option key={one} value={one}>
                Last {one} days
              </option>
            ))}
          </SelectField>
          <CampaignSelect id="campaign" value={campaignId} onChange={setCampaign} all="All" />
        </div>
        <AsOf meta={query.data?.meta} />
      </Card>
      <Answered query={query} what="The analytics">
        {({ data, meta }) => (
          <>
            <Totals analytics={data} token={meta.token} others={meta.otherTokens ?? []} />
            <Charts analytics={data} token={meta.token} />
            <Breakdowns analytics={data} token={meta.token} />
          </>
        )}
      </Answered>
    </>
  );
}
