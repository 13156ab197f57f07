import { lazy, Suspense } from 'react';
import { Card, Cards } from '../../../components/card.tsx';
import { Loading } from '../../../components/loading.tsx';
import { ByCampaignCard } from './by-campaign-card.tsx';
import { ClaimsCard } from './claims-card.tsx';
import { CreditsCard } from './credits-card.tsx';
import { SalesCard } from './sales-card.tsx';

/** Loaded when it is drawn: the library of charts is larger than the rest of the page. */
const EarningsChart = lazy(async () => ({
  default: (await import('./earnings-chart.tsx')).EarningsChart,
}));

/** Earnings in detail: over time, by campaign, by sale, and what was paid. */
export function Earnings({ address }: { readonly address: `0x${string}` }) {
  return (
    <Cards>
      <CreditsCard address={address} />
      <Card title="Over time">
        <Suspense fallback={<Loading what="the chart" size={[27, 43]} />}>
          <EarningsChart />
        </Suspense>
      </Card>
      <ByCampaignCard address={address} />
      <SalesCard />
      <ClaimsCard />
    </Cards>
  );
}
