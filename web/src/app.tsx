import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { type PageName, type PageParams, pages } from '../../engine/contract/pages.ts';
import { Boundary } from './components/boundary.tsx';
import { Loading } from './components/loading.tsx';
import { NotFoundPage } from './pages/not-found/index.tsx';
import { Shell } from './shell/shell.tsx';

/** The component of each page, loaded when it is first opened. */
const views: { readonly [N in PageName]: ComponentType<PageParams<N>> } = {
  home: later(async () => (await import('./pages/home/index.tsx')).HomePage),
  campaigns: later(async () => (await import('./pages/campaigns/index.tsx')).CampaignsPage),
  products: later(async () => (await import('./pages/products/index.tsx')).ProductsPage),
  distributors: later(
    async () => (await import('./pages/distributors/index.tsx')).DistributorsPage,
  ),
  merchants: later(async () => (await import('./pages/merchants/index.tsx')).MerchantsPage),
  sales: later(async () => (await import('./pages/sales/index.tsx')).SalesPage),
  search: later(async () => (await import('./pages/search/index.tsx')).SearchPage),
  buyer: later(async () => (await import('./pages/buyer/index.tsx')).BuyerPage),
  transaction: later(async () => (await import('./pages/transaction/index.tsx')).TransactionPage),
  block: later(async () => (await import('./pages/block/index.tsx')).BlockPage),
  campaign: later(async () => (await import('./pages/campaign/index.tsx')).CampaignPage),
  receipt: later(async () => (await import('./pages/receipt/index.tsx')).ReceiptPage),
  distributor: later(async () => (await import('./pages/distributor/index.tsx')).DistributorPage),
  merchant: later(async () => (await import('./pages/merchant/index.tsx')).MerchantPage),
  status: later(async () => (await import('./pages/status/index.tsx')).StatusPage),
  bundle: later(async () => (await import('./pages/bundle/index.tsx')).BundlePage),
  account: later(async () => (await import('./pages/me/index.tsx')).MePage),
  join: later(async () => (await import('./pages/me/join/index.tsx')).JoinPage),
  myLink: later(async () => (await import('./pages/me/links/link-page.tsx')).LinkPage),
  purchases: later(async () => (await import('./pages/purchases/index.tsx')).PurchasesPage),
  link: later(async () => (await import('./pages/link/index.tsx')).LinkPage),
  product: later(async () => (await import('./pages/product/index.tsx')).ProductPage),
  checkout: later(async () => (await import('./pages/checkout/index.tsx')).CheckoutPage),
  glossary: later(async () => (await import('./pages/glossary/index.tsx')).GlossaryPage),
  console: later(async () => (await import('./pages/console/index.tsx')).ConsolePage),
  consoleSection: later(async () => (await import('./pages/console/index.tsx')).ConsoleSectionPage),
};

/** Every page by its address. */
export function App() {
  return (
    <Shell>
      <Boundary>
        <Suspense fallback={<Loading what="the page" />}>
          <Switch>
            {Object.entries(views).map(([name, view]) => {
              // The types of `views` have checked that each page gets the parameters of its path.
              const View = view as ComponentType<Readonly<Record<string, string | undefined>>>;
              return (
                <Route key={name} path={pages[name as PageName]}>
                  {(params) => <View key={Object.values(params).join('/')} {...params} />}
                </Route>
              );
            })}
            <Route component={NotFoundPage} />
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}

function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return lazy(async () => ({ default: await load() }));
}
