import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { SignedIn } from '../account/session.ts';
import { Avatar } from '../components/avatar.tsx';
import { shortHex } from '../format.ts';
import type { Area } from './areas.ts';
import { LanguageSelect } from './language-select.tsx';
import styles from './menus.module.css';
import { ThemeToggle } from './theme-toggle.tsx';
import { TryRoles } from './try-roles.tsx';
import { UnitsSelect } from './units-select.tsx';

/** The areas of the site, and the first page of each. */
const roles = [
  [undefined, pathOf('home'), 'Shop and explore'],
  ['Earn', pathOf('account'), 'Earn with links'],
  ['Sell', pathOf('console'), 'Sell products'],
] as const;

interface AccountEntriesProps {
  readonly area: Area;
  readonly session: SignedIn | undefined;
  /** Name of the account, if it has one. */
  readonly name: string | undefined;
}

/** The entries of the account menu. */
export function AccountEntries({ area, session, name }: AccountEntriesProps) {
  return (
    <>
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
      <TryRoles />
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
      <LanguageSelect className={styles.choice} />
    </>
  );
}
