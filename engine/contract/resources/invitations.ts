import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { Invitation, InvitationStatus } from '../shapes/partner.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import { Address, CampaignId, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

/** Methods for invitations of distributors. */
export const invitations = resource('invitations', {
  about: 'Invitations of merchants to distributors.',
  caller: 'account',
})({
  mine: get('/v1/me/invitations', {
    summary: 'Invitations to the caller, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        status: textInput(100)
          .describe('pending, accepted, declined, withdrawn or expired.')
          .optional(),
      }),
    },
    output: pageOf(Invitation),
  }),
  sent: get('/v1/merchant/invitations', {
    caller: 'viewer',
    summary: 'Invitations that the merchant sent, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        distributor: Address.describe('To this account alone.').optional(),
        campaignId: CampaignId.describe('To this campaign alone.').optional(),
        status: InvitationStatus.optional(),
      }),
    },
    output: pageOf(Invitation),
  }),
  send: post('/v1/merchant/invitations', {
    caller: 'admin',
    summary: 'Invites a distributor to a campaign of the merchant.',
    input: {
      body: z.strictObject({
        distributor: Address,
        campaignId: CampaignId,
        message: textInput(2_000).describe('At most 2000 characters.'),
        terms: textInput(3_000).describe('At most 3000 characters.'),
        expiresAt: Timestamp.describe('Until when it may be answered: a year ahead at most.'),
      }),
    },
    output: Invitation.extend({
      transaction: UnsignedTransaction.nullable().describe(
        'allowDistributor, unsigned, if the campaign is invite-only and the account is not allowed yet; null otherwise.',
      ),
    }),
  }),
  get: get('/v1/invitations/:id', {
    documentedName: null,
    memberRole: 'viewer',
    summary: 'An invitation with its answer, for the merchant and the distributor.',
    input: { params: z.strictObject({ id: Id }) },
    output: Invitation.extend({
      respondedAt: Timestamp.nullable().describe('When it was answered; null before.'),
      reason: z
        .string()
        .nullable()
        .describe('What the distributor said with its answer; null if nothing.'),
    }),
  }),
  respond: post('/v1/me/invitations/:id', {
    summary: 'Accepts or declines an invitation.',
    input: {
      params: z.strictObject({ id: Id }),
      body: z.strictObject({
        response: z.enum(['accept', 'decline']),
        reason: textInput(500)
          .describe('Shown to the merchant; at most 500 characters.')
          .optional(),
      }),
    },
    output: z.strictObject({
      invitation: Invitation,
      transaction: UnsignedTransaction.nullable().describe(
        'join, unsigned, if it was accepted and the caller may join; null otherwise.',
      ),
    }),
  }),
  withdraw: del('/v1/merchant/invitations/:id', {
    caller: 'admin',
    summary: 'Withdraws an invitation that was not answered.',
    input: { params: z.strictObject({ id: Id }) },
    output: Invitation,
  }),
});
