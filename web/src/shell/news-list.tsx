import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { api, DataOf } from '../api.ts';
import { Time } from '../components/time.tsx';
import { NewsLine } from '../pages/me/overview/news-line.tsx';
import styles from './menus.module.css';

interface NewsListProps {
  readonly items: DataOf<typeof api.notifications.list>['items'];
}

/** The newest notifications, each with the page that it is about. */
export function NewsList({ items }: NewsListProps) {
  return (
    <>
      <h2>Notifications</h2>
      {items.length === 0 && <p className="soft">Nothing happened in the last 90 days.</p>}
      <ul>
        {items.map((news) => (
          <li key={news.id}>
            <NewsLine news={news} />
            <span className="soft tiny">
              <Time at={news.at} />
            </span>
          </li>
        ))}
      </ul>
      <Link className={styles.entry} href={pathOf('account')}>
        All that happened
      </Link>
    </>
  );
}
