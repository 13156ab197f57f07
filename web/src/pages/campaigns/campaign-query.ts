import type { FilterOptions, Filters } from '../../filters/use-filters.ts';

/** States of campaigns that a list can be limited to. */
export const statuses = [
  ['', 'Any'],
  ['active', 'Takes sales now'],
  ['not_live', 'Takes no sales yet, or no more'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
  ['expired', 'Expired'],
] as const;

/** Orders of a list; the first is that of an address without one. */
export const sorts = [
  ['', 'Best match'],
  ['newest', 'Newest'],
  ['reward', 'Highest reward'],
  ['budget', 'Largest budget'],
  ['hold', 'Shortest hold'],
] as const;

export const levels: FilterOptions = [
  ['', 'Any'],
  ...['1', '2', '3', '4', '5'].map((n) => [n, n] as const),
];

export const invitations = [
  ['', 'Any'],
  ['false', 'Open to everyone'],
  ['true', 'By invitation'],
] as const;

/** Names of the filters of campaigns in the address. */
export const campaignFilters = [
  'q',
  'status',
  'category',
  'merchant',
  'levels',
  'invite',
  'sort',
] as const;

/** Input of `campaigns.list` as the filters say it. A value that the list does not know is left out. */
export function campaignQuery({ get, chosen }: Filters<(typeof campaignFilters)[number]>) {
  const invite = chosen('invite', invitations);
  const depth = chosen('levels', levels);
  return {
    q: get('q'),
    status: chosen('status', statuses),
    category: get('category'),
    merchant: get('merchant'),
    levels: depth === undefined ? undefined : Number(depth),
    invitationOnly: invite && invite === 'true',
    sort: chosen('sort', sorts),
  };
}
