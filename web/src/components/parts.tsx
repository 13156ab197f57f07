import { Link, useSearchParams } from 'wouter';
import styles from './tabs.module.css';
import type { Tab } from './tabs.tsx';

interface PartsProps {
  readonly label: string;
  readonly parts: readonly Tab[];
  /** The part of an address that names none; default the first. */
  readonly start?: string | undefined;
}

/**
 * Parts of one thing, one shown at a time, and all of them printed. The chosen one is in the address (`?tab=`). Links, and not
 * tabs: they need no code of their own.
 */
export function Parts({ label, parts, start = parts[0]?.id }: PartsProps) {
  const [params] = useSearchParams();
  const wanted = params.get('tab');
  const chosen = parts.some(({ id }) => id === wanted) ? wanted : start;
  return (
    <div>
      <nav className={styles.list} aria-label={label}>
        {parts.map(({ id, title }) => (
          <Link
            key={id}
            href={`?tab=${id}`}
            replace
            className={styles.tab}
            aria-current={id === chosen ? 'true' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      {parts.map(({ id, content }) => (
        <div key={id} className={styles.panel} hidden={id !== chosen}>
          {content}
        </div>
      ))}
    </div>
  );
}
