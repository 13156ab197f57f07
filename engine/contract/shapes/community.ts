// Partnerships between accounts, and communities of distributors. Their methods are not built yet.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, CampaignId, Count, Id, Timestamp } from '../values.ts';

/** A partnership of two accounts. */
export const Partnership = z.strictObject({
  id: Id,
  proposer: Address,
  counterparty: Address,
  campaignIds: z.array(CampaignId).describe('Campaigns of the partnership.'),
  terms: z.string(),
  status: z.enum(['proposed', 'active', 'declined', 'terminated', 'expired']),
  expiresAt: Timestamp.describe('Time until which a proposal may be answered.'),
  createdAt: Timestamp,
  respondedAt: Timestamp.nullable(),
  terminatedAt: Timestamp.nullable(),
  reason: z.string().nullable().describe('Reason of the account that declined or terminated it.'),
});

/** A community of distributors. */
export const Community = z.strictObject({
  id: Id,
  name: z.string(),
  description: z.string(),
  owner: Address,
  access: z.enum(['open', 'approval']).describe('approval: its owner lets members in.'),
  memberCount: Count,
  membership: z.enum(['owner', 'member', 'pending', 'none']).describe('Membership of the caller.'),
  createdAt: Timestamp,
});

/** A member of a community. */
export const CommunityMember = z.strictObject({
  address: Address.nullable().describe('null if its owner keeps it apart from the handle.'),
  handle: z.string().nullable(),
  role: z.enum(['owner', 'member']),
  status: z.enum(['active', 'pending']),
  joinedAt: Timestamp.nullable().describe('null while pending.'),
});

nameSchemas({ Partnership, Community, CommunityMember });
