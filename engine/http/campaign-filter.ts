import { ledgerId } from '../db/read/ids.ts';

/** No campaign has it: they are counted from 1. */
const NO_CAMPAIGN = '0';

/**
 * The campaign that a list of the caller's own is narrowed to; one that no ledger can hold
 * (`demo-…`) becomes one that there is none of, and the list is empty.
 */
export function campaignFilter(campaignId: string | undefined): string | undefined {
  return campaignId === undefined ? undefined : (ledgerId(campaignId) ?? NO_CAMPAIGN);
}
