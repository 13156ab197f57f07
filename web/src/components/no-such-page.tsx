import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { PageHead } from './page-head.tsx';

interface NoSuchPageProps {
  /** A sentence that says what is wrong with the address. */
  readonly what: string;
  /** A sentence that says what it should be. */
  readonly hint?: string;
}

/** A page in place of one whose address cannot exist: asking the API again would not help. */
export function NoSuchPage({ what, hint }: NoSuchPageProps) {
  return (
    <PageHead title="There is no such page">
      <p>
        {what} {hint}
      </p>
      <p>
        <Link href={pathOf('search')}>The search</Link> finds sales, campaigns, names, addresses,
        links and transactions. Or look through <Link href={pathOf('campaigns')}>campaigns</Link>{' '}
        and <Link href={pathOf('sales')}>sales</Link>.
      </p>
    </PageHead>
  );
}
