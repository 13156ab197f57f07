import { Id } from '../../../contract/values.ts';
import { DAY_SECONDS } from '../../../core/analytics.ts';
import { listNotifications, type NotificationCursor } from '../../../db/read/notifications/list.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { cursorMicroseconds, ListPage, mapItems } from '../../input/cursor.ts';
import { notificationOf } from '../../render/notification.ts';

const position = { atMicroseconds: cursorMicroseconds, id: Id };

/** Days that notifications go back: of the settled block's clock, or of the service's. */
const DAYS = 90;

/** `notifications.list`: what happened to the caller, newest first, from what is stored anyway. */
export const list: Handler<'notifications.list'> = async (input, deps, { account }) => {
  const page = new ListPage('notifications.list', { ...input, account }, position);
  const asked = input.since === undefined ? 0 : Date.parse(input.since) / 1_000;
  const from = (clock: number) => Math.max(asked, clock - DAYS * DAY_SECONDS);
  return await readLedger(deps.pool, async (snapshot) => {
    const { head } = snapshot;
    const since = {
      chain: from(head.timestamp),
      service: from(Math.floor(deps.clock() / 1_000)),
    };
    const found = await listNotifications(snapshot, account, {
      kind: input.kind,
      since,
      days: daysOf(since.chain, head.timestamp, page.after),
      ...page.query,
    });
    return {
      data: mapItems(page.of(found), (one) => notificationOf(head, one)),
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
