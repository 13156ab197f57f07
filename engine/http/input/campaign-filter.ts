import { ledgerId } from '../../db/ids.ts';

/** Id that no campaign has: ids start at 1. */
const NO_CAMPAIGN = '0';

/**
 * Campaign id that filters a list. An id that cannot be in the ledger (`demo-…`) becomes one that no
 * campaign has, so that the list is empty.
 */
export function campaignFilter(campaignId: string | undefined): string | undefined {
  return campaignId === undefined ? undefined : (ledgerId(campaignId) ?? NO_CAMPAIGN);
}
