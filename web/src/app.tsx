import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { Boundary } from './components/boundary.tsx';
import { Loading } from './components/loading.tsx';
import { Shell } from './components/shell.tsx';
import { HomePage } from './pages/home/index.tsx';
import { NotFoundPage } from './pages/not-found/index.tsx';

const ReceiptPage = lazy(async () => ({
  default: (await import('./pages/receipt/index.tsx')).ReceiptPage,
}));
const BundlePage = lazy(async () => ({
  default: (await import('./pages/bundle/index.tsx')).BundlePage,
}));
const CampaignPage = lazy(async () => ({
  default: (await import('./pages/campaign/index.tsx')).CampaignPage,
}));
const DistributorPage = lazy(async () => ({
  default: (await import('./pages/distributor/index.tsx')).DistributorPage,
}));
const MerchantPage = lazy(async () => ({
  default: (await import('./pages/merchant/index.tsx')).MerchantPage,
}));
const StatusPage = lazy(async () => ({
  default: (await import('./pages/status/index.tsx')).StatusPage,
}));
const MePage = lazy(async () => ({
  default: (await import('./pages/me/index.tsx')).MePage,
}));

/** Every page by its address. Each is loaded when it is first looked at; see `engine/http/site`. */
export function App() {
  return (
    <Shell>
      <Boundary>
        <Suspense fallback={<Loading what="the page" />}>
          <Switch>
            <Route path="/" component={HomePage} />
            <Route path="/receipts/:chainId/:saleId">
              {(params) => <ReceiptPage key={`${params.chainId}/${params.saleId}`} {...params} />}
            </Route>
            <Route path="/bundle" component={BundlePage} />
            <Route path="/campaigns/:campaignId">
              {(params) => <CampaignPage key={params.campaignId} {...params} />}
            </Route>
            <Route path="/distributors/:address">
              {(params) => <DistributorPage key={params.address} {...params} />}
            </Route>
            <Route path="/merchants/:slug">
              {(params) => <MerchantPage key={params.slug} {...params} />}
            </Route>
            <Route path="/status" component={StatusPage} />
            <Route path="/me" component={MePage} />
            <Route component={NotFoundPage} />
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}
