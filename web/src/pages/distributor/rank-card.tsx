import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { groupDigits, words } from '../../format.ts';
import styles from './distributor.module.css';
import type { TrackRecord } from './profile.ts';

/** What each signal weighs in the order discovery-v1 (docs/api.md, «The order of distributors»). */
const weights: Readonly<Record<string, number>> = {
  settledConversions: 4,
  merchants: 3,
  keptShare: 2,
  recency: 1,
};

/** Points that a signal has at most. */
const POINTS_MOST = 1_000;

/** Why it stands where it does among distributors, added up here. */
export function RankCard({ record }: { readonly record: TrackRecord }) {
  const score = record.rankSignals.reduce((so, { name, value }) => so + pointsOf(name, value), 0);
  return (
    <Card title="Rank">
      <div className={styles.stack}>
        {record.slot === 'new' && (
          <p>Fewer than 3 settled conversions: it is listed with the new ones, unranked.</p>
        )}
        <DataTable
          caption="Signals of the rank"
          rows={record.rankSignals}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Signal', cell: ({ name }) => words(name) },
            {
              name: 'Value',
              cell: ({ value }) => (
                <>
                  <span className={styles.meter} aria-hidden="true">
                    <span style={{ width: `${(100 * value) / POINTS_MOST}%` }} />
                  </span>{' '}
                  {groupDigits(String(value))} of {groupDigits(String(POINTS_MOST))}
                </>
              ),
            },
            { name: 'Weight', figures: true, cell: ({ name }) => `× ${weights[name] ?? 0}` },
            {
              name: 'Points',
              figures: true,
              cell: ({ name, value }) => groupDigits(String(pointsOf(name, value))),
            },
          ]}
        />
        <p className={styles.soft}>
          {groupDigits(String(score))} of 10{'\u202f'}000 points, by the order{' '}
          {record.rankingVersion}.
        </p>
      </div>
    </Card>
  );
}

const pointsOf = (name: string, value: number): number => (weights[name] ?? 0) * value;
