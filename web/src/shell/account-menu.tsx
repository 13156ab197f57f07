import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { useRememberedSession } from '../account/session.ts';
import { Avatar } from '../components/avatar.tsx';
import { shortHex } from '../format.ts';
import { useName } from '../names.ts';
import type { Area } from './areas.ts';
import styles from './menus.module.css';
import { ThemeToggle } from './theme-toggle.tsx';
import { UnitsSelect } from './units-select.tsx';

/** The areas of the site, and the first page of each. */
const roles = [
  [undefined, pathOf('home'), 'Shop and explore'],
  ['Earn', pathOf('account'), 'Earn with links'],
  ['Sell', pathOf('console'), 'Sell products'],
] as const;

/** Who is signed in, the way to the other areas, and how pages are shown. */
export function AccountMenu({ area }: { readonly area: Area }) {
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
      <nav id="account-menu" popover="auto" className={styles.menu} aria-label="Account">
        {session === undefined ? (
          <Link className={styles.entry} href={pathOf('account')}>
            Sign in
          </Link>
        ) : (
          <p className={styles.who}>
            <Avatar address={session.address} size="large" />
            <span>
              <strong>{name ?? 'Signed in'}</strong>
              <code title={session.address}>{shortHex(session.address)}</code>
            </span>
          </p>
        )}
        <Link className={styles.entry} href={pathOf('purchases')}>
          My purchases
        </Link>
        {session !== undefined && (
          <Link className={styles.entry} href={`${pathOf('account')}?tab=profile`}>
            Profile
          </Link>
        )}
        {session !== undefined && (
          <Link className={styles.entry} href={`${pathOf('account')}?tab=account`}>
            Sessions and sign-out
          </Link>
        )}
        <h2>Go to</h2>
        {roles.map(([role, href, text]) => (
          <Link
            key={href}
            className={styles.entry}
            href={href}
            aria-current={role === area.name ? 'true' : undefined}
          >
            {text}
          </Link>
        ))}
        <h2>Show</h2>
        <ThemeToggle className={styles.entry} />
        <UnitsSelect className={styles.choice} />
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
