import { type ReactNode, useState } from 'react';
import { MINE } from '../account/session.ts';
import { api, useApi } from '../api.ts';
import { storedValue, storeValue } from '../storage.ts';
import styles from './menus.module.css';
import { NewsList } from './news-list.tsx';

/** Notifications that the menu has. */
const SHOWN = 8;
/** Milliseconds between two reads. */
const POLL_MS = 60_000;
/** Under this name the browser stores the time of the newest notification that was looked at. */
const SEEN = 'news.seen';

/** A button with the number of new notifications, and the newest of them. */
export function News({ icon }: { readonly icon: ReactNode }) {
  const query = useApi(
    [MINE, 'notifications.list', 'menu'],
    api.notifications.list,
    { limit: SHOWN },
    { refetchInterval: POLL_MS, staleTime: POLL_MS },
  );
  const [seen, setSeen] = useState(() => storedValue(SEEN) ?? '');
  const [isOpen, setOpen] = useState(false);
  const items = query.data?.data.items ?? [];
  const fresh = items.filter(({ at }) => at > seen).length;
  function toggled(opens: boolean) {
    setOpen(opens);
    const newest = items[0]?.at;
    if (!opens || newest === undefined) return;
    setSeen(newest);
    storeValue(SEEN, newest);
  }
  return (
    <>
      <button
        type="button"
        className={styles.button}
        popoverTarget="news-menu"
        aria-label={fresh === 0 ? 'Notifications' : `Notifications: ${fresh} new`}
      >
        {icon}
        {fresh > 0 && <span className={styles.dot} aria-hidden="true" />}
      </button>
      <section
        id="news-menu"
        popover="auto"
        className={`${styles.menu} ${styles.news}`}
        aria-label="Notifications"
        onToggle={(event) => toggled(event.newState === 'open')}
      >
        {isOpen && <NewsList items={items} />}
      </section>
    </>
  );
}
