import { Link } from 'wouter';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Loading } from '../../../components/loading.tsx';
import { useActing } from '../acting.tsx';
import { daysBefore } from '../analytics/days.ts';
import { Totals } from '../analytics/totals.tsx';
import { sectionPath } from '../paths.ts';

/** Days of the trend. */
const DAYS = 30;

const title = `Last ${DAYS} days`;

/** Sales and rewards of the last days, against those before. */
export function Trend() {
  const { api, key } = useActing();
  const range = daysBefore(new Date(), DAYS);
  const query = useApi([...key, 'analytics.merchant'], api.analytics.merchant, { range });
  if (query.isPending) {
    return (
      <Card title={title}>
        <Loading what="the last days" size={[6.6, 14.5]} />
      </Card>
    );
  }
  return (
    <Answered query={query} what="The last days">
      {({ data, meta }) => (
        <Totals
          title={title}
          aside={<Link href={sectionPath('analytics')}>Charts</Link>}
          analytics={data}
          token={meta.token}
          others={meta.otherTokens ?? []}
        />
      )}
    </Answered>
  );
}
