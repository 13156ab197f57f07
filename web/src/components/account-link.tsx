import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { SignedIn } from '../account/use-session.ts';
import { shortHex } from '../format.ts';

interface AccountLinkProps {
  readonly className: string | undefined;
  readonly isCurrent: boolean;
}

/** Link to one's own page: it has the address of the account, if this page load has read the session. */
export function AccountLink({ className, isCurrent }: AccountLinkProps) {
  // Only reads the cache: nearly no visitor is signed in.
  const { data } = useQuery<SignedIn | null>({ queryKey: ['auth.session'], enabled: false });
  return (
    <Link
      className={className}
      href={pathOf('account')}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {data ? <span title={data.address}>{shortHex(data.address)}</span> : 'My account'}
    </Link>
  );
}
