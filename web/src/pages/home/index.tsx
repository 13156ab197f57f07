import { Cards } from '../../components/card.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { ActivityCard } from './activity-card.tsx';
import { RecentReceipts } from './recent.tsx';
import { TopCampaigns } from './top-campaigns.tsx';
import { TopDistributors } from './top-distributors.tsx';

/** Where a reader begins: what there is and how it develops, and the newest sales as they come. */
export function HomePage() {
  return (
    <>
      <PageHead title="Receipts that anyone can check">
        <p>
          Every sale here says who is paid what, and why. Its receipt can be checked in your browser
          against a chain that you choose, or offline.
        </p>
      </PageHead>
      <Cards>
        <ActivityCard />
        <RecentReceipts />
        <TopCampaigns />
        <TopDistributors />
      </Cards>
    </>
  );
}
