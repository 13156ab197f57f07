import { useSearch } from 'wouter';
import { Answered } from '../../components/answered.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { groupDigits } from '../../format.ts';
import { useStatus } from '../../status.ts';
import { Found } from './found.tsx';
import { RecentReceipts } from './recent.tsx';
import { SearchForm } from './search-form.tsx';

/** Where a reader begins: the search, what there is, and the newest sales as they come. */
export function HomePage() {
  const query = new URLSearchParams(useSearch()).get('q')?.trim() ?? '';
  return (
    <>
      <PageHead title="Receipts that anyone can check">
        <p>
          Every sale here says who is paid what, and why. Its receipt can be checked in your browser
          against a chain that you choose, or offline.
        </p>
      </PageHead>
      <Cards>
        <Card title="Find">
          <SearchForm key={query} query={query} />
          {query !== '' && <Found query={query} />}
        </Card>
        <Totals />
        <RecentReceipts />
      </Cards>
    </>
  );
}

function Totals() {
  const status = useStatus();
  return (
    <Card title="In the ledger">
      <Answered query={status} what="The status">
        {({ data: { counts, settled, deployment } }) => (
          <Facts
            facts={[
              ['Sales', groupDigits(String(counts.sales))],
              ['Campaigns', groupDigits(String(counts.campaigns))],
              ['Links', groupDigits(String(counts.nodes))],
              ['Settled block', settled && groupDigits(settled.number)],
              ['Chain', deployment.chainId],
            ]}
          />
        )}
      </Answered>
      <AsOf meta={status.data?.meta} />
    </Card>
  );
}
