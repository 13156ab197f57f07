import { account } from './history.ts';

/** Merchant of campaign 1 in the small history. */
const MERCHANT = account(1_000);
/** Distributor with rewards, claims and missed rewards there. */
const EARNER = account(14);

/** Paths of public reads of everything that the small history has. */
export const publicReads: readonly string[] = [
  ...['/v1/campaigns', '/v1/campaigns?limit=2', '/v1/campaigns/1', '/v1/campaigns/1/policy'],
  ...['/v1/campaigns/1/stats', '/v1/campaigns/1/activity', '/v1/campaigns/1/sales'],
  ...['/v1/campaigns/1/policies', '/v1/campaigns/1/prices', '/v1/campaigns/1/metadata'],
  ...['/v1/campaigns/1/permissions', '/v1/campaigns/1/entries', '/v1/campaigns/1/graph'],
  ...['/v1/campaigns/1/graph/search?q=0x1', '/v1/nodes/31337/4/ancestry', '/v1/links/4'],
  ...['/v1/products/p-beans', '/v1/products/p-beans/versions', '/v1/products/p-beans/versions/1'],
  ...['/v1/merchants', '/v1/merchants/acme', `/v1/merchants/${MERCHANT}`],
  ...['/v1/merchants/acme/record', '/v1/merchants/acme/offers', '/v1/search?q=mountain'],
  ...['/v1/receipts', '/v1/receipts/31337/1', '/v1/receipts/31337/4', '/v1/receipts/31337/999'],
  ...['/v1/receipts/31337/1/events', '/v1/receipts/31337/1/path', '/v1/receipts/31337/1/bundle'],
  ...[`/v1/distributors/${EARNER}`, `/v1/distributors/${EARNER}/profile`],
  ...[`/v1/accounts/${EARNER}/balances`, '/v1/discrepancies', '/v1/tokens'],
  ...['/v1/events', '/v1/system/activity', '/v1/system/audit'],
  ...['/v1/system/digest', '/v1/system/digest/1'],
];

/** Paths of reads of the ledger that need a session, with the account that signs in. */
export const sessionReads: readonly (readonly [`0x${string}`, readonly string[]])[] = [
  [
    EARNER,
    [
      ...['/v1/me/earnings', '/v1/me/earnings/campaigns', '/v1/me/earnings/conversions'],
      ...['/v1/me/earnings/missed', '/v1/me/claims', '/v1/me/purchases'],
      ...['/v1/me/statements', '/v1/me/statements/csv'],
    ],
  ],
  [
    MERCHANT,
    [
      ...['/v1/merchant/sales', '/v1/merchant/campaigns/1/distributors', '/v1/merchant/partners'],
      ...[`/v1/merchant/partners/${EARNER}`, `/v1/merchant/partners/${EARNER}/sales`],
      ...['/v1/merchant/analytics', '/v1/merchant/campaigns/1/analytics'],
    ],
  ],
];
