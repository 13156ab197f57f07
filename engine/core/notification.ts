/** Kinds of notifications (docs/reference/api.md#notifications). */
export const notificationKinds = [
  'rewards_claimable',
  'rewards_refunded',
  'rewards_reversed',
  'policy_scheduled',
  'campaign_paused',
  'campaign_resumed',
  'campaign_ended',
  'campaign_expired',
  'invitation_received',
  'invitation_answered',
  'refund_requested',
  'refund_answered',
  'refund_paid',
  'report_ready',
] as const;

/** Kind of a notification. */
export type NotificationKind = (typeof notificationKinds)[number];

/** Kind of a notification that can be sent by e-mail: every one that has an event. No event says that a campaign expired. */
export type MailKind = Exclude<NotificationKind, 'campaign_expired'>;

/** Kinds of notifications that can be sent by e-mail. */
export const mailKinds: readonly [MailKind, ...MailKind[]] = [
  'rewards_claimable',
  'rewards_refunded',
  'rewards_reversed',
  'policy_scheduled',
  'campaign_paused',
  'campaign_resumed',
  'campaign_ended',
  'invitation_received',
  'invitation_answered',
  'refund_requested',
  'refund_answered',
  'refund_paid',
  'report_ready',
];
