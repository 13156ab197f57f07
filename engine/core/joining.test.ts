import { expect, it } from 'vitest';
import { type Joinable, joinRefusals } from './joining.ts';

const open: Joinable = {
  state: 'FUNDED_ACTIVE',
  inviteOnly: false,
  allowed: false,
  nodesLeft: 1,
  nodeCount: 0,
  nodesPerAccount: 1,
};

it.each<[string[], Partial<Joinable>]>([
  [[], {}],
  [[], { state: 'CREATED_UNFUNDED' }],
  [[], { inviteOnly: true, allowed: true }],
  [['not_allowed'], { inviteOnly: true }],
  [['paused'], { state: 'PAUSED' }],
  [['ended'], { state: 'ENDED' }],
  [['expired'], { state: 'EXPIRED' }],
  [['capacity_full'], { nodesLeft: 0 }],
  [['account_full'], { nodeCount: 1 }],
  [['not_allowed', 'paused', 'account_full'], { inviteOnly: true, state: 'PAUSED', nodeCount: 2 }],
])('refuses a join for the reasons %j', (reasons, facts) => {
  expect(joinRefusals({ ...open, ...facts })).toEqual(reasons);
});
