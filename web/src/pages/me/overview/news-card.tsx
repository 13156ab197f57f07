import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { NewsLine } from './news-line.tsx';

/** Notifications of the last 90 days, newest first. */
export function NewsCard() {
  const pages = usePages([MINE, 'notifications.list'], api.notifications.list, { limit: 10 });
  return (
    <ListCard
      title="What happened"
      caption="Notifications"
      pages={pages}
      empty="Nothing happened to this account in the last 90 days."
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'What',
          cell: (news) => <NewsLine news={news} />,
        },
        column.time('When', 'at'),
      ]}
    />
  );
}
