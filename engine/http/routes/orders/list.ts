import { z } from 'zod';
import { probeId } from '../../../db/ids.ts';
import {
  type ChangePosition,
  type ChangesHead,
  changedOrders,
  readChangesHead,
} from '../../../db/read/orders/changes.ts';
import { listOrders, type OrderFilter, type OrderPosition } from '../../../db/read/orders/list.ts';
import { readLedger, type Snapshot } from '../../../db/read/snapshot.ts';
import { invalidField } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { campaignFilter } from '../../input/campaign-filter.ts';
import {
  type CursorScope,
  cursorId,
  decodeCursor,
  encodeCursor,
  PAGE_LIMIT,
} from '../../input/cursor.ts';
import { lowerHash } from '../../input/hash.ts';
import { orderChangeOf, orderOf } from '../../render/order.ts';
import { requireOwnCampaign } from '../../resources/campaigns/find-campaign.ts';

const METHOD = 'orders.list';

const Epoch = z.string().regex(/^[0-9a-f]{1,32}$/);
const Sequence = cursorId.refine((text) => Number.isSafeInteger(Number(text)));

/**
 * `list`: the list of all orders was returned up to a sale, and it began at a sequence number of the changes.
 * `changes`: all changes below a sequence number were returned, and of that one those up to a sale.
 */
const Token = z.union([
  z.tuple([z.literal('list'), Epoch, Sequence, cursorId, cursorId]),
  z.tuple([z.literal('changes'), Epoch, Sequence, cursorId.or(z.literal(''))]),
]);
type Token = z.infer<typeof Token>;

/** Orders of a page, and the position after them. */
interface OrderPage {
  readonly items: Awaited<ReturnType<Handler<typeof METHOD>>>['data']['items'];
  readonly next: Token;
  readonly more: boolean;
  readonly reset: boolean;
}

/**
 * `orders.list`: all orders of the caller, oldest first, and from then on each order that changed, in the
 * order of the changes. Retractions of a reorg come before what took their place (docs/api.md, "Orders").
 */
export const list: Handler<typeof METHOD> = async (input, deps, { merchant }) => {
  const { cursor, since, limit = PAGE_LIMIT, campaignId, ...lookup } = input;
  const scope = { method: METHOD, input: { campaignId, ...lookup, merchant } };
  const token = tokenOf(scope, { cursor, since });
  const filter: OrderFilter = {
    merchant,
    campaignId: campaignFilter(campaignId),
    orderKey: lookup.orderKey && lowerHash(lookup.orderKey),
    skuHash: lookup.skuHash && lowerHash(lookup.skuHash),
    nodeId: lookup.nodeId && probeId(lookup.nodeId),
    buyer: lookup.buyer && lowerAddress(lookup.buyer),
    transactionHash: lookup.transactionHash && lowerHash(lookup.transactionHash),
  };
  return await readLedger(deps.pool, async (snapshot) => {
    if (campaignId !== undefined) await requireOwnCampaign(snapshot, campaignId, merchant);
    const { items, next, more, reset } = await pageAfter(token, { snapshot, filter, limit, deps });
    const position = encodeCursor(scope, [...next]);
    return {
      data: { items, nextCursor: more ? position : null, since: position, reset },
      chain: chainMeta(deps.deployment, snapshot.head),
    };
  });
};

/**
 * Position that the request names; the cursor outweighs `since`.
 * @throws {HttpError} VALIDATION_FAILED naming the field.
 */
function tokenOf(
  scope: CursorScope,
  { cursor, since }: { readonly cursor: string | undefined; readonly since: string | undefined },
): Token | undefined {
  if (cursor !== undefined || since === undefined) {
    return decodeCursor({ ...scope, input: { ...scope.input, cursor } }, Token);
  }
  try {
    return decodeCursor({ ...scope, input: { ...scope.input, cursor: since } }, Token);
  } catch {
    throw invalidField('since', 'is not from a response of orders.list with these filters');
  }
}

interface PageRequest {
  readonly snapshot: Snapshot;
  readonly filter: OrderFilter;
  readonly limit: number;
  readonly deps: Parameters<Handler<typeof METHOD>>[1];
}

async function pageAfter(token: Token | undefined, request: PageRequest): Promise<OrderPage> {
  const head = await readChangesHead(request.snapshot);
  if (token === undefined || isLost(token, head)) {
    return { ...(await listPage(request, head, head.sequence, undefined)), reset: true };
  }
  const [kind, , sequence, saleId, campaignId] = token;
  if (kind === 'list') {
    const after = { saleId, campaignId };
    return { ...(await listPage(request, head, Number(sequence), after)), reset: false };
  }
  const after = { sequence: Number(sequence), saleId: saleId === '' ? null : saleId };
  return { ...(await changesPage(request, head, after)), reset: false };
}

/** True if the changes after a position are no longer stored, or are of another ledger. */
function isLost(
  [kind, epoch, sequence, saleId]: Token,
  { epoch: current, sequence: newest, oldest }: ChangesHead,
): boolean {
  const position = Number(sequence);
  // The change of the position itself is needed if not all of it was returned.
  const first = kind === 'changes' && saleId !== '' ? position : position + 1;
  if (epoch !== current || position > newest) return true;
  return first <= newest && (oldest === null || oldest > first);
}

/** A page of all orders. @param start sequence number at which the list began. */
async function listPage(
  { snapshot, filter, limit, deps }: PageRequest,
  { epoch }: ChangesHead,
  start: number,
  after: OrderPosition | undefined,
): Promise<Omit<OrderPage, 'reset'>> {
  const found = await listOrders(snapshot, filter, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)?.sale : undefined;
  const next: Token = last
    ? ['list', epoch, String(start), last.saleId, last.campaignId]
    : ['changes', epoch, String(start), ''];
  const items = page.map((order) => orderOf(deps.deployment, order, snapshot.head));
  return { items, next, more: last !== undefined };
}

async function changesPage(
  { snapshot, filter, limit, deps }: PageRequest,
  { epoch, sequence: newest }: ChangesHead,
  after: ChangePosition,
): Promise<Omit<OrderPage, 'reset'>> {
  const found = await changedOrders(snapshot, filter, { after, limit, newest });
  const { sequence, saleId } = found.next;
  return {
    items: found.items.map((change) => orderChangeOf(deps.deployment, change, snapshot.head)),
    next: ['changes', epoch, String(sequence), saleId ?? ''],
    more: found.more,
  };
}
