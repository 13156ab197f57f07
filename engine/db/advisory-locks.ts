/**
 * The advisory locks of a deployment's database, by what they guard. One list, so that no two
 * things ever wait for each other by the same number.
 */
export const advisoryLocks = {
  /** Bringing the schemas up to date. */
  migrate: 7_211_014,
  /** Feeding the queue: held by the worker that leads, for as long as it does. */
  lead: 7_211_015,
  /** Computing the ranking of distributors again. */
  ranking: 7_211_016,
  /** Ordering a report; with a hash of the merchant, so that others do not wait. */
  reports: 7_211_017,
  /** Finalizing by the keeper: one transaction at a time. */
  keeper: 7_211_018,
  /** Indexing the chain again while another indexer runs. */
  reindex: 7_211_019,
  /** Taking a merchant's name; with a hash of the name, so that others do not wait. */
  merchantName: 7_211_020,
  /** Making a backup: of two, one would prune what the other has just copied. */
  backup: 7_211_021,
  /** Sending signed orders: one process at a time. */
  relayer: 7_211_040,
  /** Accepting signed orders: so that their number has a limit. */
  signedOrders: 7_211_041,
} as const;
