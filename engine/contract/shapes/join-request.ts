// Requests to join campaigns that are by invitation.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, CampaignId, Id, Timestamp } from '../values.ts';

/** Status of a request to join. */
export const JoinRequestStatus = z
  .enum(['pending', 'invited', 'declined'])
  .describe('invited: the merchant answered with an invitation.');

/** A request of an account to join a campaign that is by invitation. */
export const JoinRequest = z.strictObject({
  id: Id,
  campaignId: CampaignId,
  distributor: Address.describe('The account that asks.'),
  message: z.string().describe('What it says about itself.'),
  status: JoinRequestStatus,
  reason: z
    .string()
    .nullable()
    .describe('What the merchant said when it declined; null if nothing.'),
  createdAt: Timestamp,
  answeredAt: Timestamp.nullable().describe('null as long as it waits for an answer.'),
});

nameSchemas({ JoinRequestStatus, JoinRequest });
