import { Link } from 'wouter';
import { PageHead } from '../../components/page-head.tsx';

/** An address that no page has. */
export function NotFoundPage() {
  return (
    <PageHead title="There is no such page">
      <p>
        The address leads nowhere. <Link href="/">The search</Link> finds sales, campaigns, accounts
        and links.
      </p>
    </PageHead>
  );
}
