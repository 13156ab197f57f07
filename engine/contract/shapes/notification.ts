// Notifications: what happened to an account.
import { z } from 'zod';
import { mailKinds, notificationKinds } from '../../core/notification.ts';
import { nameSchemas } from '../names.ts';
import { Amount, BlockNumber, CampaignId, Finality, Id, SaleId, Timestamp } from '../values.ts';
import { Token } from './common.ts';

/** Kind of a notification. */
export const NotificationKind = z
  .enum(notificationKinds)
  .describe(
    'rewards_… are of a campaign and day; invitation_answered, refund_requested and report_ready are for merchants.',
  );

/** Something that happened to the account. */
export const Notification = z.strictObject({
  id: Id.describe('Follows from its source: the same in every response.'),
  kind: NotificationKind,
  at: Timestamp.describe('Time of the block, or the service’s for what is not on the chain.'),
  blockNumber: BlockNumber.nullable().describe(
    'Block of its event; null if no event of the chain is its source.',
  ),
  finality: Finality.nullable().describe('How final that block is; null without a block.'),
  day: z.iso.date().nullable().describe('Day in UTC of rewards_…; null otherwise.'),
  campaignId: CampaignId.nullable(),
  saleId: SaleId.nullable(),
  token: Token.nullable().describe('Token of the amount.'),
  amount: Amount.nullable().describe(
    'Of the rewards on that day, or requested, accepted or refunded; base units.',
  ),
  policyVersion: z.int().min(1).nullable().describe('Version that was scheduled.'),
  effectiveAt: Timestamp.nullable().describe('When that version takes effect.'),
  invitationId: Id.nullable(),
  disputeId: Id.nullable().describe('The refund request.'),
  reportId: Id.nullable(),
  answer: z.enum(['accepted', 'declined']).nullable().describe('Of an invitation or request.'),
});

/** Kind of a notification that can be sent by e-mail. */
export const MailKind = z
  .enum(mailKinds)
  .describe('Kind of a notification that can be sent by e-mail: all but campaign_expired.');

/** Notifications that the account gets by e-mail. */
export const NotificationPreferences = z.strictObject({
  email: z.string().nullable().describe('In lower case; null without one. Only its owner sees it.'),
  status: z
    .enum(['unconfirmed', 'confirmed', 'undeliverable'])
    .nullable()
    .describe('Only a confirmed address gets notifications; null without an address.'),
  kinds: z.array(MailKind).describe('Kinds that are sent by e-mail; all until they are set.'),
});

nameSchemas({ NotificationKind, Notification, MailKind, NotificationPreferences });
