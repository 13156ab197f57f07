import {
  address,
  amount,
  byteAddress,
  id,
  integer,
  nullable,
  rowCodec,
  seconds,
  small,
} from '../row.ts';

/** A node of the referral graph: columns of `ledger.node`. */
export const nodeRow = rowCodec({
  nodeId: id,
  parentNodeId: nullable(id),
  owner: byteAddress,
  depth: small,
});

/** The buckets that a reward can be in (docs/reference/glossary.md#the-life-of-a-reward), in base units. */
export const bucketFields = {
  atRisk: amount,
  readyToFinalize: amount,
  claimable: amount,
  claimed: amount,
  refunded: amount,
  reversed: amount,
} as const;

/** An account's balances in a campaign after the newest event: columns of `ledger.bucket`. */
export const bucketRow = rowCodec({
  account: byteAddress,
  ...bucketFields,
  /** Sequence number of the account's newest claim. */
  lastClaimSeq: nullable(integer),
});

/** Limits of an attester, base units and unix seconds: columns of `ledger.permission`. */
export const attesterLimitsRow = rowCodec({ perOrder: amount, daily: amount, expiry: seconds });

/** Sum of the sales that an attester attested on a day (unix days), base units: columns of `ledger.attester_day`. */
export const attesterDayRow = rowCodec({ day: small, attested: amount });

/** An account's credit in a campaign after an event, in base units: columns of `ledger.credit`. */
export const creditRow = rowCodec({ account: address, after: amount.from('credit_after') });
