import { shapeOf } from '../data/full-ledger-shape.ts';
import type { Requested } from './load.ts';

/** A request to the API, and its goal. */
export interface ReadCase extends Requested {
  readonly name: string;
  readonly aim: Aim;
  /** Goal for the processor time of a request, compared with the bare look-up or in milliseconds. */
  readonly cpu?: CpuAim;
  /** Goal for the median of one user alone, in milliseconds; `null` without one. */
  readonly alone: number | null;
  /** True if the API caches responses; otherwise each response is computed. */
  readonly again: boolean;
}

/**
 * Goal: a share of the bare look-up's rate; or a limit for the 99th percentile, in milliseconds, while requests come
 * at half the rate that the server bears.
 */
export type Aim = { readonly ofBare: number } | { readonly p99: number } | null;

/** Limit of processor time: a multiple of the bare look-up's, or milliseconds. */
export type CpuAim = { readonly timesBare: number } | { readonly ms: number };

/** Headers of those who are signed in. */
export interface Callers {
  readonly merchant: Requested['headers'];
  readonly earner: Requested['headers'];
}

const CHAIN = 31_337;
const NO_HEADERS = {};
/** Different rows that a point read asks for in turn. */
const POINTS = 500;

/** Ninety whole days, of which the last is the settled block's. */
const NINETY_DAYS = { from: '2023-08-19T00:00:00Z', to: '2023-11-17T00:00:00Z' };

/** The workloads, over a ledger of so many sales; the same every time. */
export function readCases(sales: number, { merchant, earner }: Callers): readonly ReadCase[] {
  const { campaigns, deep } = shapeOf(sales, '');
  const saleIds = spread(sales);
  const nodesAt = (depth: number) =>
    Array.from({ length: campaigns }, (_, c) => (depth - 1) * campaigns + c + 1);
  const list = (
    name: string,
    paths: readonly string[],
    headers: Requested['headers'] = NO_HEADERS,
  ) => ({
    name,
    aim: { p99: 25 },
    alone: 5,
    again: false,
    paths,
    headers,
  });
  const analytics = {
    ...list(
      'analytics.merchant, 90 days',
      [`/v1/merchant/analytics?range=${encodeURIComponent(JSON.stringify(NINETY_DAYS))}`],
      merchant,
    ),
    aim: { p99: 250 },
    alone: 25,
  };
  const campaignLists = [
    'status=active',
    'category=cat3',
    'rateMin=500&holdMax=800000',
    'merchant=slug-7',
    'q=title',
    'sort=budget&status=active',
  ].map((query) => `/v1/campaigns?${query}`);
  const pages = [
    { ...list('receipts.recent', ['/v1/receipts']), cpu: { ms: 1 } },
    { ...list('campaigns.list with filters', campaignLists), cpu: { ms: 4 } },
    { ...list('earnings.summary', ['/v1/me/earnings'], earner), alone: 4 },
    {
      ...list('partners.list', ['/v1/merchant/partners'], merchant),
      aim: { p99: 50 },
      alone: null,
    },
    analytics,
  ];
  return [
    {
      name: 'receipts.get',
      again: false,
      aim: { ofBare: 0.4 },
      cpu: { timesBare: 4 },
      alone: 2,
      paths: saleIds.map((id) => `/v1/receipts/${CHAIN}/${id}`),
      headers: NO_HEADERS,
    },
    {
      ...list('graph.ancestry, depth 20', nodesAt(20).map(ancestry(20))),
      aim: { ofBare: 0.5 },
      alone: null,
    },
    list(`graph.ancestry, 100 nodes from depth ${deep}`, nodesAt(deep).map(ancestry(100))),
    ...pages,
    // The same page for all who ask, as it is with what everybody looks at.
    ...pages.map((page) => ({
      ...page,
      name: `${page.name}, cached`,
      alone: null,
      again: true,
    })),
  ];
}

/** Requests of the ceiling of point reads: the same sales, by their primary key. */
export function bareCase(sales: number): Requested {
  const { campaigns } = shapeOf(sales, '');
  return {
    paths: spread(sales).map((id) => `/sale/${((id - 1) % campaigns) + 1}/${id}`),
    headers: NO_HEADERS,
  };
}

function ancestry(limit: number) {
  return (nodeId: number) => `/v1/nodes/${CHAIN}/${nodeId}/ancestry?limit=${limit}`;
}

/** Ids all over the ledger: 7,919 is prime to its sizes. */
function spread(sales: number): readonly number[] {
  return Array.from({ length: POINTS }, (_, i) => 1 + ((i * 7_919 * 13) % sales));
}
