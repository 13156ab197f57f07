import { lazy, Suspense, useState } from 'react';
import { useRememberedSession } from '../account/session.ts';
import { Avatar } from '../components/avatar.tsx';
import { Loading } from '../components/loading.tsx';
import { shortHex } from '../format.ts';
import { useName } from '../names.ts';
import type { Area } from './areas.ts';
import styles from './menus.module.css';

/** Loaded when the menu is first opened. */
const AccountEntries = lazy(async () => ({
  default: (await import('./account-entries.tsx')).AccountEntries,
}));

/** Who is signed in, the way to the other areas, and how pages are shown. */
export function AccountMenu({ area }: { readonly area: Area }) {
  const [isOpen, setOpen] = useState(false);
  const session = useRememberedSession();
  const name = useName(session?.address);
  const shown = session && (name ?? shortHex(session.address));
  return (
    <>
      <button
        type="button"
        className={styles.button}
        popoverTarget="account-menu"
        aria-label={shown === undefined ? 'Account' : `Account: ${shown}`}
      >
        {session === undefined ? <Person /> : <Avatar address={session.address} />}
        <span className={styles.name}>{shown ?? 'Account'}</span>
      </button>
      <nav
        id="account-menu"
        popover="auto"
        className={styles.menu}
        aria-label="Account"
        onToggle={({ newState }) => newState === 'open' && setOpen(true)}
      >
        {isOpen && (
          <Suspense fallback={<Loading what="the menu" />}>
            <AccountEntries {...{ area, session, name }} />
          </Suspense>
        )}
      </nav>
    </>
  );
}

function Person() {
  return (
    <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="8.5" r="3.5" />
      <path d="M5 20c.6-3.9 3.4-6 7-6s6.4 2.1 7 6" />
    </svg>
  );
}
