import { z } from 'zod';
import { Id } from '../../../contract/values.ts';
import { DAY_SECONDS } from '../../../core/analytics.ts';
import { listNotifications, type NotificationCursor } from '../../../db/read/notifications/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler-types.ts';
import { cursorMicroseconds, decodeCursor, pageOf } from '../../input/cursor.ts';
import { notificationOf } from '../../render/notification.ts';

const METHOD = 'notifications.list';
/** Time and id. */
const Position = z.tuple([cursorMicroseconds, Id]);

/** Days that notifications go back: of the settled block's clock, or of the service's. */
const DAYS = 90;

/** `notifications.list`: what happened to the caller, newest first, from what is stored anyway. */
export const list: Handler<'notifications.list'> = async (input, deps, { account }) => {
  const { limit = PAGE_LIMIT, kind } = input;
  const scope = { method: METHOD, input: { ...input, account } };
  const position = decodeCursor(scope, Position);
  const after = position && { atMicroseconds: position[0], id: position[1] };
  const asked = input.since === undefined ? 0 : Date.parse(input.since) / 1_000;
  const from = (clock: number) => Math.max(asked, clock - DAYS * DAY_SECONDS);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head } = snapshot;
    const since = {
      chain: from(head.timestamp),
      service: from(Math.floor(deps.clock() / 1_000)),
    };
    const found = await listNotifications(snapshot, account, {
      kind,
      since,
      days: daysOf(since.chain, head.timestamp, after),
      after,
      limit: limit + 1,
    });
    const page = pageOf(found, limit, scope, (one) => [one.atMicroseconds, one.id]);
    return {
      data: { ...page, items: page.items.map((one) => notificationOf(head, one)) },
      chain: chainMeta(deps.deployment, head),
    };
  });
};

/**
 * Edges of the days that a page can have rewards of, unix seconds: from that of `since` to that of the settled
 * block, or of the cursor if it is older.
 */
function daysOf(
  since: number,
  clock: number,
  after: NotificationCursor | undefined,
): readonly number[] {
  const newest =
    after === undefined
      ? clock
      : Math.min(clock, Number(BigInt(after.atMicroseconds) / 1_000_000n));
  const first = Math.floor(Math.min(since, newest) / DAY_SECONDS);
  const last = Math.max(first, Math.floor(newest / DAY_SECONDS));
  return Array.from({ length: last - first + 2 }, (_, i) => (first + i) * DAY_SECONDS);
}
