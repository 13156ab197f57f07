import { createHash } from 'node:crypto';
import type { Address, EventName } from '../../core/events.ts';
import { serviceMessageOf } from '../../core/service-message.ts';
import {
  contractEventTypes,
  neededFinality,
  readSubscription,
  type Subscription,
  type WebhookEventType,
} from '../../core/webhook-events.ts';
import { eventIdOf, type WebhookDeployment, webhookMessageOf } from '../../core/webhook-message.ts';
import { newDeliveryId } from '../../db/commerce/delivery-ids.ts';
import {
  anyMailAccount,
  storeMailItems,
  storeServiceItems,
} from '../../db/commerce/mail-outbox.ts';
import {
  enabledEndpoints,
  type FinalHeads,
  lockCursor,
  merchantsOfCampaigns,
  moveCursor,
  newestEventBlock,
  type OutgoingEvent,
  readOutboxHead,
  releaseFinal,
  retractEvents,
  type ServiceEvent,
  storeEvents,
  takeServiceEvents,
  type WebhookTarget,
} from '../../db/commerce/webhook-outbox.ts';
import type { Pool, Sql } from '../../db/connection.ts';
import { groupBy } from '../../db/group-by.ts';
import {
  changesAfter,
  type LedgerChange,
  type PublishedEvent,
} from '../../db/read/system/changes.ts';

/** Changes that one transaction reads, and their events. */
const PAGE = { changes: 256, events: 2_000 } as const;

/** Events of this service that one transaction reads. */
const SERVICE_PAGE = 500;

/** Everything that making deliveries needs from outside. */
export interface PublishContext {
  readonly pool: Pool;
  readonly deployment: WebhookDeployment;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Stores the deliveries and the notifications by e-mail of what has happened since the last call, in one transaction
 * with the cursor. So each endpoint and each account gets each event exactly once.
 * @returns whether there may be more.
 */
export async function publishEvents(context: PublishContext): Promise<boolean> {
  const { pool, clock } = context;
  return await pool.begin(async (sql) => {
    const cursor = await lockCursor(sql);
    const head = cursor && (await readOutboxHead(sql));
    if (cursor === undefined || head === undefined) return false;
    const now = new Date(clock());
    // On a chain without safe blocks, what waits for one waits for the final one.
    const heads = {
      safe: head.safeNumber ?? head.finalizedNumber,
      finalized: head.finalizedNumber,
    };
    await releaseFinal(sql, heads, now);
    const targets = targetsByOwner(await enabledEndpoints(sql));
    const mails = await anyMailAccount(sql);
    const service = await takeServiceEvents(sql, SERVICE_PAGE);
    const outgoing = service.map((event) => fromService(context, targets, event));
    await storeEvents(sql, wanted(outgoing), heads, now);
    if (mails) await storeServiceItems(sql, service, now);
    const { epoch, sequence } = head;
    // A ledger that was made again publishes everything again: what was sent is known by its id.
    const isNew = cursor.epoch !== null && cursor.epoch !== epoch;
    const after = cursor.epoch === epoch ? cursor.sequence : 0;
    const isWanted = targets.size > 0 || mails;
    if (!isWanted && cursor.recheckAtBlock === null && !isNew) {
      await moveCursor(sql, { epoch, sequence, recheckAtBlock: null });
      return service.length === SERVICE_PAGE;
    }
    const changes = await changesAfter(sql, after, PAGE);
    warnOfGap(context, after, changes);
    await publishChanges(sql, context, { changes, targets, mails, heads, now });
    const recheckAtBlock = isNew ? await newestEventBlock(sql) : cursor.recheckAtBlock;
    const isDue = recheckAtBlock !== null && (head.settledNumber ?? -1) >= recheckAtBlock;
    if (isDue) {
      await retractEvents(sql, { missingUpToBlock: recheckAtBlock }, now);
    }
    await moveCursor(sql, {
      epoch,
      sequence: changes.at(-1)?.sequence ?? after,
      recheckAtBlock: isDue ? null : recheckAtBlock,
    });
    return changes.length > 0 || service.length === SERVICE_PAGE;
  });
}

type Targets = ReadonlyMap<string, readonly ReadTarget[]>;

interface ReadTarget extends Pick<WebhookTarget, 'id' | 'afterBlock'> {
  readonly subscriptions: readonly Subscription[];
}

function targetsByOwner(endpoints: readonly WebhookTarget[]): Targets {
  return groupBy(
    endpoints,
    ({ owner }) => owner,
    ({ id, afterBlock, events }): ReadTarget => ({
      id,
      afterBlock,
      subscriptions: events.flatMap((text) => readSubscription(text) ?? []),
    }),
  );
}

/** Content of one transaction. */
interface Publication {
  readonly changes: readonly LedgerChange[];
  readonly targets: Targets;
  /** Whether any account gets notifications by e-mail. */
  readonly mails: boolean;
  readonly heads: FinalHeads;
  readonly now: Date;
}

/** Publishes changes in their order; settled changes that follow each other are stored together. */
async function publishChanges(
  sql: Sql,
  context: PublishContext,
  { changes, ...publication }: Publication,
): Promise<void> {
  let waiting: Settled[] = [];
  const store = async () => {
    await storeSettled(sql, context, waiting, publication);
    waiting = [];
  };
  for (const change of changes) {
    if (change.kind === 'settled') {
      const { campaignId, events } = change;
      waiting.push(...events.map((event) => ({ ...event, campaignId })));
    } else {
      await store();
      const { campaignId, afterSeq } = change;
      // Notifications by e-mail need no retraction: they wait until their block is safe.
      await retractEvents(sql, { campaignId, afterSeq }, publication.now);
    }
  }
  await store();
}

type Settled = PublishedEvent & { readonly campaignId: string };

async function storeSettled(
  sql: Sql,
  { deployment }: PublishContext,
  events: readonly Settled[],
  { targets, mails, heads, now }: Omit<Publication, 'changes'>,
): Promise<void> {
  if (events.length === 0) return;
  if (mails) {
    const mailed = events.map((event) => ({ ...event, id: eventIdOf(sha256, deployment, event) }));
    await storeMailItems(sql, mailed, now);
  }
  if (targets.size === 0) return;
  const merchants = await merchantsOfCampaigns(sql, [
    ...new Set(events.map(({ campaignId }) => campaignId)),
  ]);
  const outgoing = events.flatMap((event) => {
    const merchant = merchants.get(event.campaignId);
    return merchant === undefined ? [] : [fromChain(deployment, targets, event, merchant)];
  });
  await storeEvents(sql, wanted(outgoing), heads, now);
}

function fromChain(
  deployment: WebhookDeployment,
  targets: Targets,
  event: Settled,
  merchant: Address,
): OutgoingEvent {
  const { campaignId, seq, blockNumber, blockHash, blockTimestamp, logIndex } = event;
  // The journal has only names of the contract's events.
  const name = event.name as EventName;
  const accounts = [...new Set([merchant, ...event.accounts])].sort();
  const { type, data, timestamp } = webhookMessageOf(
    sha256,
    deployment,
    {
      ...{ campaignId, name, accounts, blockNumber, blockHash, logIndex },
      saleId: event.saleId,
      amount: event.amount,
      timestamp: blockTimestamp,
      transactionHash: event.transactionHash,
    },
    'pending',
  );
  return {
    id: data.eventId,
    type,
    place: { campaignId, seq, blockNumber, blockHash, logIndex },
    body: JSON.stringify({ type, timestamp, data }),
    at: new Date(timestamp),
    targets: targetsOf(targets, accounts, contractEventTypes[name], blockNumber),
  };
}

function fromService(
  { deployment }: PublishContext,
  targets: Targets,
  event: ServiceEvent,
): OutgoingEvent {
  const { id, type, accounts, at } = event;
  return {
    ...{ id, type, at, place: null },
    body: JSON.stringify(serviceMessageOf(deployment.publicUrl, event)),
    targets: targetsOf(targets, accounts, type as WebhookEventType, undefined),
  };
}

/** Endpoints that get an event: those of its accounts that subscribe to it and existed before its block. */
function targetsOf(
  targets: Targets,
  accounts: readonly Address[],
  type: WebhookEventType,
  block: number | undefined,
): OutgoingEvent['targets'] {
  return accounts
    .flatMap((account) => targets.get(account) ?? [])
    .flatMap(({ id: endpointId, afterBlock, subscriptions }) => {
      const finality = neededFinality(subscriptions, type);
      if (finality === undefined || (block !== undefined && block <= afterBlock)) return [];
      const deliveryId = newDeliveryId();
      return [{ endpointId, deliveryId, finality: block === undefined ? null : finality }];
    });
}

/** Events that somebody gets: the others are not stored. */
function wanted(events: readonly OutgoingEvent[]): OutgoingEvent[] {
  return events.filter(({ targets }) => targets.length > 0);
}

function warnOfGap({ log }: PublishContext, after: number, [first]: readonly LedgerChange[]): void {
  if (first === undefined || first.sequence <= after + 1) return;
  log.warn(
    { after, first: first.sequence },
    'changes were forgotten before their webhooks were made: their events are not sent',
  );
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
