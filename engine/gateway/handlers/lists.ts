import { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import type { ResponseMeta } from '../../contract/envelope.ts';
import { registry } from '../../contract/registry.ts';
import type { MethodOf, OutputOf } from '../../contract/types.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../../http/input/cursor.ts';
import { type AcrossRequest, Attendance, headersOf } from '../across.ts';
import { NoAnswer } from '../answers.ts';
import type { Deployment } from '../deployment.ts';
import type { GatewayHandler } from '../handler.ts';
import { type Identity, identityOf, keyOf } from '../identity.ts';
import {
  type Compare,
  mergeLists,
  type Position,
  type Source,
  type SourcePage,
} from '../merge-lists.ts';

/** Items of a page if the request names no limit, as at a deployment. */
const PAGE_LIMIT = 20;

type CampaignItem = OutputOf<MethodOf<'campaigns.list'>>['items'][number];
type ReceiptItem = OutputOf<MethodOf<'receipts.recent'>>['items'][number];
type DistributorItem = OutputOf<MethodOf<'distributors.list'>>['items'][number];

/** Orders of campaigns whose values mean the same on every chain. Budgets are in different tokens. */
const campaignOrders: Readonly<Record<string, Compare<CampaignItem>>> = {
  reward: (one, other) => other.policy.commissionBps - one.policy.commissionBps,
  hold: (one, other) => one.policy.holdSeconds - other.policy.holdSeconds,
};

/** `campaigns.list`: campaigns of all deployments. `total` counts those of the deployments that answered. */
export const campaigns: GatewayHandler<'campaigns'> = async (input, request) => {
  const compare = input.sort === undefined ? undefined : campaignOrders[input.sort];
  const method = registry.campaigns.list;
  const { items, total, ...page } = await listAcross(request, {
    method,
    input,
    compare,
    hasTotal: true,
  });
  return {
    ...page,
    data: { items: items.map(({ item }) => item), nextCursor: page.nextCursor, total },
  };
};

/** `receipts.recent`: sales of all deployments, newest first. */
export const recentReceipts: GatewayHandler<'recentReceipts'> = async (input, request) => {
  const now = Date.now();
  const { items, ...page } = await listAcross(request, {
    method: registry.receipts.recent,
    input,
    compare: newestFirst<ReceiptItem>(({ recordedAt }) => recordedAt, now),
    timeOf: ({ recordedAt }) => recordedAt,
  });
  return { ...page, data: { items: items.map(({ item }) => item), nextCursor: page.nextCursor } };
};

/** `distributors.list`: the ranked of all deployments by score, then the new ones, newest first. */
export const distributors: GatewayHandler<'distributors'> = async (input, request) => {
  const method = registry.distributors.list;
  const { items, ...page } = await listAcross(request, {
    method,
    input,
    compare: byDiscovery(Date.now()),
    timeOf: ({ firstLinkAt }: DistributorItem) => firstLinkAt,
  });
  return {
    ...page,
    data: {
      items: items.map(({ item, deployment }) => ({ ...item, deployment })),
      nextCursor: page.nextCursor,
    },
  };
};

/** The order `discovery-v1`. Its signals are counts and days, so they mean the same on every chain. */
function byDiscovery(now: number): Compare<DistributorItem> {
  const byTime = newestFirst<DistributorItem>(({ firstLinkAt }) => firstLinkAt, now);
  return (one, other) => {
    if (one.slot !== other.slot) return one.slot === 'ranked' ? -1 : 1;
    return one.slot === 'new' ? byTime(one, other) : scoreOf(other) - scoreOf(one);
  };
}

/** The newest first; times after `now` (ms) count as `now`, so that no deployment comes first for long by its clock. */
function newestFirst<T>(timeOf: (item: T) => string, now: number): Compare<T> {
  const ms = (item: T) => Math.min(Date.parse(timeOf(item)), now);
  return (one, other) => ms(other) - ms(one);
}

const weights: Readonly<Record<string, number>> = {
  settledConversions: 4,
  merchants: 3,
  keptShare: 2,
  recency: 1,
};

/** Points of a signal, at most (engine/core/discovery.ts). */
const MAX_POINTS = 1_000;

/** Score of a distributor: each signal counts once, with 0 to 1000 points, whatever the deployment says. */
function scoreOf({ rankSignals }: DistributorItem): number {
  const points = new Map(rankSignals.map(({ name, value }) => [name, value]));
  return Object.entries(weights).reduce((sum, [name, weight]) => {
    return sum + weight * Math.min(Math.max(points.get(name) ?? 0, 0), MAX_POINTS);
  }, 0);
}

/** Keys and cursors of deployments in turn; an empty cursor is a deployment whose items were all returned. */
const Positions = z.array(z.string().max(2_000)).max(128);

interface ListQuery<T> {
  readonly method: Method & {
    readonly output: z.ZodType<SourcePage<T> & { readonly total?: number }>;
  };
  readonly input: { readonly cursor?: string | undefined; readonly limit?: number | undefined };
  readonly compare?: Compare<T> | undefined;
  /** Time of an item, which cannot be after the block that the deployment read as of. */
  readonly timeOf?: (item: T) => string;
  /** True if the list counts its items. */
  readonly hasTotal?: boolean;
}

/** A page of the lists of all deployments. */
async function listAcross<T>(
  { directory, headersFor }: AcrossRequest,
  { method, input, compare, timeOf, hasTotal = false }: ListQuery<T>,
) {
  const { limit = PAGE_LIMIT, cursor: _cursor, ...filters } = input;
  const scope: CursorScope = { method: method.name, input: { ...input } };
  const before = positionsOf(decodeCursor(scope, Positions) ?? []);
  const attendance = new Attendance();
  const known = new Map<string, { deployment: Deployment; identity: Identity }>();
  const read = async (deployment: Deployment, cursor: string | undefined, count: number) => {
    const own = { ...filters, limit: count, ...(cursor === undefined ? {} : { cursor }) };
    const headers = headersOf(deployment, headersFor);
    const answer = await attendance.note(deployment, async () => {
      const answered = await deployment.call(method, own, headers);
      if (timeOf) requirePast(answered.data.items.map(timeOf), answered.meta);
      return answered;
    });
    return answer?.data;
  };
  const sources: Source<T, SourcePage<T> & { readonly total?: number }>[] = [];
  for (const deployment of directory.all) {
    const { identity } = deployment;
    // A deployment that is not known yet has no key: it is asked only to be named as missing.
    const key = identity === undefined ? `#${deployment.number}` : keyOf(identity);
    if (identity !== undefined) known.set(key, { deployment, identity: identityOf(identity) });
    sources.push({
      key,
      position: before.get(key) ?? { cursor: undefined, isDone: false },
      read: (cursor, count) => read(deployment, cursor, count),
    });
  }
  const { items, positions, pages } = await mergeLists(sources, limit, compare);
  const finished = sources.filter(({ position }) => position.isDone);
  const counts = await Promise.all(
    hasTotal ? finished.map(async (one) => (await one.read(undefined, 1))?.total ?? 0) : [],
  );
  // A deployment that is not known since a restart of the gateway keeps its position.
  const next = encodeCursor(scope, textOf(new Map([...before, ...positions])));
  const isOpen = ({ key }: { readonly key: string }) => positions.get(key)?.isDone !== true;
  const open = sources.filter(isOpen);
  const isMissing = ({ key }: { readonly key: string }) => {
    const deployment = known.get(key)?.deployment;
    return deployment === undefined || attendance.isMissing(deployment);
  };
  const isLast = open.every(isMissing);
  return {
    items: items.flatMap(({ key, item }) => {
      const deployment = known.get(key)?.identity;
      return deployment === undefined ? [] : [{ item, deployment }];
    }),
    total: [...pages.values()].reduce((sum, page) => sum + (page.total ?? 0), 0) + sumOf(counts),
    nextCursor: isLast ? null : next,
    ...(isLast && open.length > 0 && { resumeCursor: next }),
    deployments: attendance.summary(finished.flatMap(({ key }) => known.get(key)?.identity ?? [])),
  };
}

/** @throws {NoAnswer} BAD_RESPONSE if a time is after the block that the answer is as of. */
function requirePast(times: readonly string[], { chain }: ResponseMeta): void {
  const head = chain === undefined ? Number.NaN : Date.parse(chain.blockTimestamp);
  if (times.every((time) => Date.parse(time) <= head)) return;
  throw new NoAnswer(
    'BAD_RESPONSE',
    'The deployment answered with a time after the block that it read.',
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function positionsOf(pairs: readonly string[]): Map<string, Position> {
  const positions = new Map<string, Position>();
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const [key = '', cursor = ''] = pairs.slice(index, index + 2);
    positions.set(key, { cursor: cursor || undefined, isDone: cursor === '' });
  }
  return positions;
}

function textOf(positions: ReadonlyMap<string, Position>): string[] {
  return [...positions].flatMap(([key, { cursor = '' }]) => [key, cursor]);
}
