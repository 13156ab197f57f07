import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { countOf } from '../../../format.ts';
import { useActing } from '../acting.tsx';

/** What needs an answer first, then sales, rewards and money. */
export default function OverviewSection() {
  const { api, key } = useActing();
  const exposure = useApi([...key, 'disputes.exposure'], (options) =>
    api.disputes.exposure({}, options),
  );
  return (
    <Card title="Needs an answer">
      <Answered query={exposure} what="Open disputes">
        {({ data }) => <p>{countOf(data.open, 'open dispute')}</p>}
      </Answered>
    </Card>
  );
}
