import { oneOf, useFilters } from '../../filters/use-filters.ts';

const MAX_WORDS = 200;

/** Input of `campaigns.list` as the address of the page says it. A value that the list does not know is left out. */
export function useCampaignQuery() {
  const { get } = useFilters();
  const invite = oneOf(get('invite'), ['true', 'false']);
  const levels = oneOf(get('levels'), ['1', '2', '3', '4', '5']);
  return {
    q: get('q')?.slice(0, MAX_WORDS),
    status: oneOf(get('status'), ['active', 'not_live', 'paused', 'ended', 'expired']),
    category: get('category')?.slice(0, MAX_WORDS),
    merchant: get('merchant')?.slice(0, MAX_WORDS),
    levels: levels === undefined ? undefined : Number(levels),
    invitationOnly: invite === undefined ? undefined : invite === 'true',
    sort: oneOf(get('sort'), ['newest', 'reward', 'budget', 'hold']),
  };
}
