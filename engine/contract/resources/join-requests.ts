import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { JoinRequest, JoinRequestStatus } from '../shapes/join-request.ts';
import { Invitation } from '../shapes/partner.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import { CampaignId, Id, pageOf, pageQuery, textInput } from '../values.ts';

const filters = {
  ...pageQuery,
  campaignId: CampaignId.describe('To this campaign alone.').optional(),
  status: JoinRequestStatus.optional(),
};

/** Methods for requests to join campaigns that are by invitation. */
export const joinRequests = resource('joinRequests', {
  about: 'Requests of accounts to join campaigns that are by invitation.',
  caller: 'account',
  documentedName: null,
})({
  send: post('/v1/me/join-requests', {
    summary: 'Asks the merchant of an invite-only campaign for an invitation.',
    input: {
      body: z.strictObject({
        campaignId: CampaignId,
        message: textInput(1_000)
          .refine((text) => text.trim() !== '', 'must say something')
          .describe('1 to 1000 characters.'),
      }),
    },
    output: JoinRequest,
  }),
  mine: get('/v1/me/join-requests', {
    summary: 'Requests of the caller, newest first.',
    input: { query: z.strictObject(filters) },
    output: pageOf(JoinRequest),
  }),
  received: get('/v1/merchant/join-requests', {
    caller: 'viewer',
    summary: 'Requests to join campaigns of the merchant, newest first.',
    input: { query: z.strictObject(filters) },
    output: pageOf(JoinRequest),
  }),
  answer: post('/v1/merchant/join-requests/:id', {
    caller: 'admin',
    summary: 'Answers a request: with an invitation of 30 days, or with a refusal.',
    input: {
      params: z.strictObject({ id: Id }),
      body: z.strictObject({
        response: z.enum(['invite', 'decline']),
        reason: textInput(500)
          .describe('Shown to the account with a refusal; at most 500 characters.')
          .optional(),
      }),
    },
    output: z.strictObject({
      request: JoinRequest,
      invitation: Invitation.nullable().describe('null if it was declined.'),
      transaction: UnsignedTransaction.nullable().describe(
        'allowDistributor, unsigned, which the merchant must sign before the account can join; null if it was declined.',
      ),
    }),
  }),
});
