import { MINE } from '../../../account/session.ts';
import { api, type Reply, type RequestOptions, useRead } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Time } from '../../../components/time.tsx';
import { count } from '../../../format.ts';
import { type HeldReward, releasesOf } from './releases.ts';

/** Pages of rewards on hold that are read. */
const MAX_PAGES = 5;
const PAGE = 100;

interface Held {
  readonly rewards: readonly HeldReward[];
  /** True if there are more than were read. */
  readonly more: boolean;
}

/** When the rewards on hold can be claimed. */
export function ReleasesCard() {
  const query = useRead([MINE, 'earnings.byConversion', 'held'], readHeld);
  return (
    <Card title="When the rest comes">
      <Answered query={query} what="rewards on hold" size={[11.9, 21.6]}>
        {({ data }) => <Releases {...data} />}
      </Answered>
    </Card>
  );
}

function Releases({ rewards, more }: Held) {
  const releases = releasesOf(rewards);
  if (releases.length === 0) return <Empty>None of your rewards is on hold.</Empty>;
  return (
    <div className="stack">
      <DataTable
        caption="Rewards on hold by the day of their release"
        rows={releases}
        rowKey={({ day, token }) => `${day} ${token.address}`}
        columns={[
          { name: 'From', cell: ({ at }) => <Time at={at} /> },
          column.count('Rewards', 'rewards'),
          column.amount('Amount', 'amount'),
        ]}
      />
      <p className="soft">
        A refund before that day takes a reward away.
        {more && ` These are the newest ${count(rewards.length)} rewards on hold.`}
      </p>
    </div>
  );
}

async function readHeld(options: RequestOptions): Promise<Reply<Held>> {
  const rewards: HeldReward[] = [];
  for (let page = 1, cursor: string | undefined; ; page += 1) {
    const input = { state: 'reserved', limit: PAGE, cursor } as const;
    const { data, meta } = await api.earnings.byConversion(input, options);
    rewards.push(...data.items);
    cursor = data.nextCursor ?? undefined;
    if (cursor === undefined || page === MAX_PAGES) {
      return { data: { rewards, more: cursor !== undefined }, meta };
    }
  }
}
