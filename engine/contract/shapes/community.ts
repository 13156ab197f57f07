/** Partnerships between accounts, and communities of distributors: both designed. */
import { z } from 'zod';
import { Address, CampaignId, Count, Id, Timestamp } from '../values.ts';

export const Partnership = z.strictObject({
  id: Id,
  proposer: Address,
  counterparty: Address,
  campaignIds: z.array(CampaignId).describe('Campaigns it is about.'),
  terms: z.string(),
  status: z.enum(['proposed', 'active', 'declined', 'terminated', 'expired']),
  expiresAt: Timestamp.describe('Until when a proposal may be answered.'),
  createdAt: Timestamp,
  respondedAt: Timestamp.nullable(),
  terminatedAt: Timestamp.nullable(),
  reason: z.string().nullable().describe('Of who declined or terminated it.'),
});

export const Community = z.strictObject({
  id: Id,
  name: z.string(),
  description: z.string(),
  owner: Address,
  access: z.enum(['open', 'approval']).describe('approval: its owner lets members in.'),
  memberCount: Count,
  membership: z.enum(['owner', 'member', 'pending', 'none']).describe('Of the caller.'),
  createdAt: Timestamp,
});

export const CommunityMember = z.strictObject({
  address: Address.nullable().describe('null where its owner keeps it apart from the handle.'),
  handle: z.string().nullable(),
  role: z.enum(['owner', 'member']),
  status: z.enum(['active', 'pending']),
  joinedAt: Timestamp.nullable().describe('null while pending.'),
});
