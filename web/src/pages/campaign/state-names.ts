import type { api, DataOf } from '../../api.ts';

type State = DataOf<typeof api.campaigns.get>['state'];

/** States of a campaign as the pages name them. */
export const stateNames: Readonly<Record<State, string>> = {
  DRAFT_OFFCHAIN: 'draft',
  CREATED_UNFUNDED: 'not funded yet',
  FUNDED_ACTIVE: 'active',
  PAUSED: 'paused',
  ENDED: 'ended',
  EXPIRED: 'expired',
};
