import type { CampaignState } from './campaign.ts';

/** Reason why an account may not join a campaign now. */
export type JoinRefusal =
  | 'not_allowed'
  | 'paused'
  | 'ended'
  | 'expired'
  | 'capacity_full'
  | 'account_full';

/** Facts that decide whether an account may join a campaign. */
export interface Joinable {
  readonly state: CampaignState;
  readonly inviteOnly: boolean;
  /** True if the account is on the allow-list of an invite-only campaign. */
  readonly allowed: boolean;
  /** Nodes that the campaign still has room for. */
  readonly nodesLeft: number;
  /** Nodes that the account has in the campaign, and how many it may have. */
  readonly nodeCount: number;
  readonly nodesPerAccount: number;
}

/** Reasons why an account may not join; empty if it may (docs/reference/protocol.md#campaigns). */
export function joinRefusals(facts: Joinable): JoinRefusal[] {
  const { state } = facts;
  const refusals: (JoinRefusal | false)[] = [
    facts.inviteOnly && !facts.allowed && 'not_allowed',
    state === 'PAUSED' && 'paused',
    state === 'ENDED' && 'ended',
    state === 'EXPIRED' && 'expired',
    facts.nodesLeft === 0 && 'capacity_full',
    facts.nodeCount >= facts.nodesPerAccount && 'account_full',
  ];
  return refusals.filter((one) => one !== false);
}
