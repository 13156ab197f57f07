/** Addresses of the site's pages: the server serves them, the router shows them, links and messages lead to them. */
export const pages = {
  home: '/',
  campaigns: '/campaigns',
  products: '/products',
  distributors: '/distributors',
  merchants: '/merchants',
  sales: '/sales',
  search: '/search',
  buyer: '/buyers/:address',
  transaction: '/transactions/:hash',
  block: '/blocks/:number',
  campaign: '/campaigns/:campaignId',
  receipt: '/receipts/:chainId/:saleId',
  distributor: '/distributors/:address',
  merchant: '/merchants/:slug',
  status: '/status',
  bundle: '/bundle',
  account: '/me',
  join: '/me/join',
  myLink: '/me/links/:nodeId',
  purchases: '/me/purchases',
  link: '/r/:code',
  product: '/products/:productId',
  checkout: '/checkout/:campaignId',
  glossary: '/glossary',
  console: '/console',
  consoleSection: '/console/:section',
} as const;

export type PageName = keyof typeof pages;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Parameters in the address of a page: `{ campaignId }`. */
export type PageParams<N extends PageName> = { readonly [K in NamesIn<(typeof pages)[N]>]: string };

/**
 * Path of a page, without the origin.
 *
 * @example
 * pathOf('receipt', { chainId: '1', saleId: '578' }) // '/receipts/1/578'
 */
export function pathOf<N extends PageName>(
  page: N,
  ...[params]: keyof PageParams<N> extends never
    ? []
    : [{ readonly [K in keyof PageParams<N>]: string | number }]
): string {
  const values: Readonly<Record<string, unknown>> = params ?? {};
  return pages[page].replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );
}

/** Pages that have a share card: a picture that sites show where somebody posts the page’s address. */
export const sharedPages = ['link', 'campaign', 'product', 'receipt'] as const satisfies PageName[];

export type SharedPage = (typeof sharedPages)[number];

/**
 * Path of the share card of a page: `/share`, the path of the page, `.png`.
 *
 * @example
 * cardPathOf(pathOf('link', { code: '1A5F' })) // '/share/r/1A5F.png'
 */
export function cardPathOf(pagePath: string): string {
  return `/share${pagePath}.png`;
}

/** Name of the `<meta>` tag with the project at WalletConnect, in the file of all pages. */
export const WALLETCONNECT_META = 'walletconnect-project';

/** Name of the `<meta>` tag with a public RPC of the deployment’s chain, in the file of all pages. */
export const PUBLIC_RPC_META = 'public-rpc';
