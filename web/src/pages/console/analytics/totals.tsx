import type { ReactNode } from 'react';
import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf, Meta } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { count } from '../../../format.ts';
import { changeOf } from './days.ts';

export type Analytics = DataOf<Client['analytics']['merchant']>;
export type Point = Analytics['totals'];
export type AnalyticsToken = Meta['token'];

interface Props {
  readonly title?: string;
  /** Shown next to the title. */
  readonly aside?: ReactNode;
  readonly analytics: Analytics;
  readonly token: AnalyticsToken;
  /** Tokens whose amounts the totals leave out. */
  readonly others: NonNullable<Meta['otherTokens']>;
}

/** Number of sales recorded in a range of time, in whatever state they are. */
export const salesOf = ({ sales: { pending, finalized, refunded } }: Point): number =>
  pending + finalized + refunded;

/** Totals of the period, each with its change against the period before. */
export function Totals({ title = 'Totals', aside, analytics, token, others }: Props) {
  const { totals, previousPeriodTotals: before } = analytics;
  const number = (of: (point: Point) => number): ReactNode => (
    <Compared now={BigInt(of(totals))} before={before && BigInt(of(before))}>
      {count(of(totals))}
    </Compared>
  );
  const money = (of: (point: Point) => string): ReactNode =>
    token && (
      <Compared now={BigInt(of(totals))} before={before && BigInt(of(before))}>
        <Amount value={of(totals)} token={token} />
      </Compared>
    );
  return (
    <Card title={title} aside={aside}>
      <Facts
        facts={[
          ['Sales', number(salesOf)],
          ['Completed', number(({ sales }) => sales.finalized)],
          ['Refunded', number(({ sales }) => sales.refunded)],
          ['Value of completed sales', money(({ value }) => value)],
          ['Rewards of completed sales', money(({ rewards }) => rewards)],
          ['New links', number(({ links }) => links)],
        ]}
      />
      {others.length > 0 && (
        <p className="soft">
          Amounts are in {token?.symbol} only; campaigns in{' '}
          {others.map(({ symbol }) => symbol).join(', ')} are left out of them. Counts include all.
        </p>
      )}
    </Card>
  );
}

interface ComparedProps {
  readonly now: bigint;
  /** In the period before; `null` if there was none. */
  readonly before: bigint | null;
  readonly children: ReactNode;
}

function Compared({ now, before, children }: ComparedProps) {
  const change = before === null ? undefined : changeOf(now, before);
  return (
    <>
      {children}
      {change && (
        <span className="soft" title="Against the period before">
          {' '}
          {change}
        </span>
      )}
    </>
  );
}
