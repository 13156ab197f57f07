import { useState } from 'react';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, useApi } from '../../../api.ts';
import { PeriodBars } from '../../../charts/period-bars.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Empty } from '../../../components/empty.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { money, words } from '../../../format.ts';
import styles from '../me.module.css';
import { allPeriods, periodName } from '../statements/all-periods.ts';

type Statement = DataOf<typeof api.statements.earnings>;

/** Rewards of the account by day or month: what was earned, and in which state all of it was. */
export function EarningsChart() {
  const [interval, setInterval] = useState<Statement['interval']>('day');
  const query = useApi([MINE, 'statements.earnings'], api.statements.earnings, { interval });
  return (
    <div className="stack">
      <div className={styles.row}>
        <SelectField
          id="chart-interval"
          label="Period"
          options={[
            ['day', 'The last 30 days'],
            ['month', 'The last 12 months'],
          ]}
          value={interval}
          onChange={(event) => setInterval(event.target.value === 'month' ? 'month' : 'day')}
        />
      </div>
      <Answered query={query} what="your earnings over time" size={[15.6, 32.2]}>
        {({ data, meta }) =>
          data.byToken.length === 0 ? (
            <Empty>You earned nothing in this time.</Empty>
          ) : (
            data.byToken.map((one) => (
              <TokenCharts
                key={one.token.address}
                statement={data}
                one={one}
                until={meta.chain?.blockTimestamp ?? data.to}
              />
            ))
          )
        }
      </Answered>
    </div>
  );
}

interface TokenChartsProps {
  readonly statement: Statement;
  readonly one: Statement['byToken'][number];
  /** Time of the block that was read. */
  readonly until: string;
}

function TokenCharts({ statement, one, until }: TokenChartsProps) {
  const { token } = one;
  const all = allPeriods(statement, one, until);
  const periods = all.map(({ from }) => periodName(from, statement.interval));
  const write = (amount: bigint) => money(amount, token);
  return (
    <div className={styles.charts}>
      <PeriodBars
        title={`Earned by ${words(statement.interval)}, ${token.symbol}`}
        periods={periods}
        write={write}
        bands={[
          {
            name: 'earned',
            label: 'Earned',
            amounts: all.map(({ movements }) => BigInt(movements.earned)),
          },
        ]}
      />
      <PeriodBars
        title={`Your rewards at the end of each ${words(statement.interval)}, ${token.symbol}`}
        periods={periods}
        write={write}
        bands={(
          [
            ['claimed', 'Claimed'],
            ['claimable', 'Claimable'],
            ['reserved', 'On hold, or ready to finalize'],
          ] as const
        ).map(([name, label]) => ({
          name,
          label,
          amounts: all.map(({ closing }) => BigInt(closing[name])),
        }))}
      />
    </div>
  );
}
