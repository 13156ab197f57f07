import { NoSuchPage } from '../../components/no-such-page.tsx';

/** An address that no page has. */
export function NotFoundPage() {
  return <NoSuchPage what="The address leads nowhere." />;
}
