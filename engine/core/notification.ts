/** Kinds of notifications (docs/api.md#notifications). */
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
