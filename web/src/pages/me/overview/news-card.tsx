import { Link } from 'wouter';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Time } from '../../../components/time.tsx';
import { newsPage, newsText } from './news-text.ts';

/** Notifications of the last 90 days, newest first. */
export function NewsCard() {
  const pages = usePages([MINE, 'notifications.list'], api.notifications.list, { limit: 10 });
  return (
    <Card title="What happened">
      <PagedTable
        caption="Notifications"
        pages={pages}
        empty="Nothing happened to this account in the last 90 days."
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'What',
            cell: (news) => {
              const href = newsPage(news);
              const text = newsText(news);
              return href === undefined ? text : <Link href={href}>{text}</Link>;
            },
          },
          { name: 'When', numeric: true, cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Card>
  );
}
