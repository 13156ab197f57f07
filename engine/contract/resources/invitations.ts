import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Invitation, InvitationStatus } from '../shapes/partner.ts';
import { UnsignedTransaction } from '../shapes/transaction.ts';
import { Address, CampaignId, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

/** Methods for invitations of distributors. */
export const invitations = {
  mine: defineMethod({
    name: 'invitations.mine',
    method: 'GET',
    path: '/v1/me/invitations',
    access: 'session',
    caller: 'account',
    availability: 'live',
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
  sent: defineMethod({
    name: 'invitations.sent',
    method: 'GET',
    path: '/v1/merchant/invitations',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
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
  send: defineMethod({
    name: 'invitations.send',
    method: 'POST',
    path: '/v1/merchant/invitations',
    access: 'session',
    caller: 'admin',
    availability: 'live',
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
  get: defineMethod({
    name: 'invitations.get',
    documentedName: null,
    method: 'GET',
    path: '/v1/invitations/:id',
    access: 'session',
    caller: 'account',
    memberRole: 'viewer',
    availability: 'live',
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
  respond: defineMethod({
    name: 'invitations.respond',
    method: 'POST',
    path: '/v1/me/invitations/:id',
    access: 'session',
    caller: 'account',
    availability: 'live',
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
  withdraw: defineMethod({
    name: 'invitations.withdraw',
    method: 'DELETE',
    path: '/v1/merchant/invitations/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Withdraws an invitation that was not answered.',
    input: { params: z.strictObject({ id: Id }) },
    output: Invitation,
  }),
} as const;
