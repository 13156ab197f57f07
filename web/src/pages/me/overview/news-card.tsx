import { Link } from 'wouter';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import * as column from '../../../components/columns.tsx';
import { ListCard } from '../../../components/list.tsx';
import { newsPage, newsText } from './news-text.ts';

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
          cell: (news) => {
            const href = newsPage(news);
            const text = newsText(news);
            return href === undefined ? text : <Link href={href}>{text}</Link>;
          },
        },
        column.time('When', 'at'),
      ]}
    />
  );
}
