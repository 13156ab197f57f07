/** How long rows of one kind are stored. */
export interface Retention {
  /** Noun for the rows that are deleted. */
  readonly rows: string;
  /** Days that it is stored. */
  readonly days: number;
  /** Time from which the days count. */
  readonly since: string;
}

/**
 * How long the service stores what it deletes by age, by the name of the background task that deletes it
 * (docs/reference/privacy.md#what-is-deleted-by-age).
 */
export const retention = {
  'sign-in-nonces.forget': { rows: 'sign-in nonces', days: 0, since: 'they expire' },
  'sessions.forget': { rows: 'sessions', days: 0, since: 'they expire' },
  'opens.forget': { rows: 'hashes of visitors of links', days: 0, since: 'the day ends (UTC)' },
  'idempotency-keys.forget': { rows: 'responses to repeated writes', days: 1, since: 'the write' },
  'service-events.forget': {
    rows: 'events that wait for their deliveries',
    days: 7,
    since: 'the event',
  },
  'mails.forget': {
    rows: 'mails, and requests to confirm an address',
    days: 30,
    since: 'the mail',
  },
  'buyer-details.forget-unpaid': {
    rows: 'details of buyers whose purchase was not paid, or was removed by a reorg',
    days: 7,
    since: 'the purchase expires',
  },
  'webhook-events.forget': {
    rows: 'webhook events, their deliveries and attempts',
    days: 30,
    since: 'the event',
  },
  'released-names.forget': {
    rows: 'handles and names that were given up',
    days: 30,
    since: 'they were given up',
  },
  'api-key-usage.forget': { rows: 'use of API keys by hour', days: 90, since: 'the hour' },
  'reports.forget': {
    rows: 'reports that failed, or whose file expired',
    days: 90,
    since: 'they were ordered',
  },
  'intents.forget-unpaid': {
    rows: 'unpaid checkouts, with their transactions',
    days: 90,
    since: 'they expire',
  },
  'relayed-transactions.forget': {
    rows: 'transactions of the relayer',
    days: 90,
    since: 'they were sent',
  },
  'buyer-details.forget': {
    rows: 'e-mail addresses, postal addresses and notes of orders',
    days: 180,
    since: 'they were given',
  },
  'old-slugs.forget': {
    rows: 'slugs that merchants gave up',
    days: 365,
    since: 'they were given up',
  },
  'api-keys.forget': { rows: 'API keys that ended', days: 365, since: 'they ended' },
  'members.forget': {
    rows: 'members who were removed from a team',
    days: 365,
    since: 'they were removed',
  },
  'invitations.forget': {
    rows: 'invitations that are not pending',
    days: 365,
    since: 'they were sent',
  },
  'join-requests.forget': {
    rows: 'requests to join campaigns',
    days: 365,
    since: 'they were sent',
  },
  'intents.forget': {
    rows: 'all other checkouts, with their transactions',
    days: 400,
    since: 'they began',
  },
  'audit-log.forget': { rows: 'entries of audit logs', days: 730, since: 'the change' },
} as const satisfies Readonly<Record<string, Retention>>;

/** Name of a task that deletes rows by their age. */
export type RetentionTask = keyof typeof retention;

/** Time before which rows are deleted: `now` less the days of the retention, as ISO 8601. */
export function deletedBefore(task: RetentionTask, now: Date): string {
  return new Date(now.getTime() - retention[task].days * 86_400_000).toISOString();
}
