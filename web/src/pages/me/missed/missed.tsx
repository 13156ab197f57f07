import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import styles from '../me.module.css';
import { missedReasons } from './missed-words.ts';

type Reason = keyof typeof missedReasons;

const isReason = (value: string): value is Reason => value in missedReasons;

/** Rewards that a limit cost the account, by sale, with the reason. */
export function Missed() {
  const [reason, setReason] = useState('');
  const filter = isReason(reason) ? { reason } : {};
  const pages = usePages([MINE, 'earnings.missed'], api.earnings.missed, { ...filter, limit: 20 });
  return (
    <Card title="Missed rewards">
      <div className="stack">
        <p>What you would have earned if a limit had not made a reward smaller.</p>
        <dl className={styles.tokens}>
          {Object.values(missedReasons).map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <div className={styles.row}>
          <SelectField
            id="missed-reason"
            label="Reason"
            options={[
              ['', 'All'],
              ...Object.entries(missedReasons).map(([value, { name }]) => [value, name] as const),
            ]}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        <PagedTable
          caption="Missed rewards"
          pages={pages}
          empty="You missed nothing: every reward was paid in full."
          rowKey={({ saleId, level, reason: why }) => `${saleId} ${level} ${why}`}
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
            { name: 'Reason', cell: ({ reason: why }) => missedReasons[why].name },
            {
              name: 'Missed',
              numeric: true,
              cell: ({ amount, token }) => <Amount value={amount} token={token} />,
            },
            { name: 'Sold', numeric: true, cell: ({ recordedAt }) => <Time at={recordedAt} /> },
          ]}
        />
      </div>
    </Card>
  );
}
