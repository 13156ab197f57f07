import type { z } from 'zod';
import type { Notification, NotificationPreferences } from '../../contract/shapes/notification.ts';
import { mailKinds } from '../../core/notification.ts';
import type { MailPreferences } from '../../db/commerce/mail-preferences.ts';
import type { NotificationView } from '../../db/read/notifications/list.ts';
import { finalityOf, type ReadHead } from '../../db/read/snapshot.ts';
import { tokenOf } from './product.ts';
import { isoTime } from './time.ts';

/** @param head of the read, which decides how final its block is. */
export function notificationOf(
  head: ReadHead,
  { id, kind, at, campaignId, blockNumber, amount, token, subject }: NotificationView,
): z.infer<typeof Notification> {
  const { effectiveAt } = subject;
  return {
    id,
    kind,
    at: at.toISOString(),
    blockNumber: blockNumber === null ? null : String(blockNumber),
    finality: blockNumber === null ? null : finalityOf(head, blockNumber, campaignId ?? undefined),
    day: subject.day ?? null,
    campaignId,
    saleId: subject.saleId ?? null,
    token: token && tokenOf(token),
    amount: amount?.toString() ?? null,
    policyVersion: subject.policyVersion ?? null,
    effectiveAt: effectiveAt === undefined ? null : isoTime(effectiveAt),
    invitationId: subject.invitationId ?? null,
    disputeId: subject.disputeId ?? null,
    reportId: subject.reportId ?? null,
    answer: subject.answer ?? null,
  };
}

/** @param stored `undefined` if the account never set any. */
export function preferencesOf(
  stored: MailPreferences | undefined,
): z.infer<typeof NotificationPreferences> {
  const { address = null, status = null, kinds = mailKinds } = stored ?? {};
  return { email: address, status, kinds: [...kinds] };
}
