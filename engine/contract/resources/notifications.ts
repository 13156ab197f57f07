import { z } from 'zod';
import { mailKinds } from '../../core/notification.ts';
import { get, patch, resource } from '../define.ts';
import {
  MailKind,
  Notification,
  NotificationKind,
  NotificationPreferences,
} from '../shapes/notification.ts';
import { ConfirmationToken, pageOf, pageQuery, Timestamp } from '../values.ts';

/** Methods for what happened to the signed-in account, and for telling it by e-mail. */
export const notifications = resource('notifications', {
  about: 'What happened to an account.',
  caller: 'account',
  documentedName: null,
})({
  list: get('/v1/me/notifications', {
    serving: { long: true },
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
  preferences: get('/v1/me/notifications/preferences', {
    availability: 'optional',
    sessionOnly: true,
    summary: 'Notifications that the caller gets by e-mail, and its address.',
    input: {},
    output: NotificationPreferences,
  }),
  setPreferences: patch('/v1/me/notifications/preferences', {
    availability: 'optional',
    rights: { widensBy: ['email'] },
    summary:
      'Sets the e-mail address of the caller, which gets a mail to confirm it, and the kinds to send. An address requires a fresh signature.',
    input: {
      body: z.strictObject({
        email: z
          .email('must be an e-mail address')
          .max(254, 'must have at most 254 characters')
          .nullable()
          .describe('Address for notifications; null removes it. Omitted, it stays.')
          .optional(),
        kinds: z
          .array(MailKind)
          .max(mailKinds.length)
          .describe('All kinds to send, of events from now on. Omitted, they stay.')
          .optional(),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: NotificationPreferences,
  }),
});
