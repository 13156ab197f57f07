import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Notification, NotificationKind } from '../shapes/notification.ts';
import { pageOf, pageQuery, Timestamp } from '../values.ts';

/** Methods for what happened to the signed-in account. */
export const notifications = {
  list: defineMethod({
    name: 'notifications.list',
    documentedName: null,
    method: 'GET',
    path: '/v1/me/notifications',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'What happened to the caller in the last 90 days, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        kind: NotificationKind.describe('Only this kind.').optional(),
        since: Timestamp.describe('Only from this time on; at most 90 days ago.').optional(),
      }),
    },
    output: pageOf(Notification),
  }),
} as const;
