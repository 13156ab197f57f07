import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { count, words } from '../../format.ts';
import styles from './distributor.module.css';
import type { TrackRecord } from './profile.ts';

/** Weight of each signal in the order discovery-v1 (docs/reference/api.md#the-order-of-distributors). */
const weights: Readonly<Record<string, number>> = {
  settledConversions: 4,
  merchants: 3,
  keptShare: 2,
  recency: 1,
};

const signals: Readonly<Record<string, string>> = {
  settledConversions: 'Completed sales',
  merchants: 'Merchants',
  keptShare: 'Sales that were not refunded',
  recency: 'How recent the last sale is',
};

/** Points that a signal has at most. */
const MAX_POINTS = 1_000;

/** Rank of a distributor, with the sum of its signals. */
export function RankCard({ record }: { readonly record: TrackRecord }) {
  const score = record.rankSignals.reduce((so, { name, value }) => so + pointsOf(name, value), 0);
  return (
    <Card title="Rank">
      <div className="stack">
        {record.slot === 'new' && (
          <p>Fewer than 3 completed sales: it is listed with the new ones, without a rank.</p>
        )}
        <DataTable
          caption="Signals of the rank"
          rows={record.rankSignals}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Signal', cell: ({ name }) => signals[name] ?? words(name) },
            {
              name: 'Value',
              cell: ({ value }) => (
                <>
                  <span className={styles.meter} aria-hidden="true">
                    <span style={{ width: `${(100 * value) / MAX_POINTS}%` }} />
                  </span>{' '}
                  {count(value)} of {count(MAX_POINTS)}
                </>
              ),
            },
            { name: 'Weight', numeric: true, cell: ({ name }) => `× ${weights[name] ?? 0}` },
            {
              name: 'Points',
              numeric: true,
              cell: ({ name, value }) => count(pointsOf(name, value)),
            },
          ]}
        />
        <p className="soft">
          {count(score)} of 10{'\u202f'}000 points.
        </p>
      </div>
    </Card>
  );
}

const pointsOf = (name: string, value: number): number => (weights[name] ?? 0) * value;
