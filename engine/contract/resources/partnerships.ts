import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { Partnership } from '../shapes/community.ts';
import { Address, CampaignId, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });

/** Methods for partnerships of accounts. They are not built yet. */
export const partnerships = resource('partnerships', {
  about: 'Long-term agreements with distributors (designed).',
  caller: 'admin',
  availability: 'designed',
})({
  list: get('/v1/partnerships', {
    caller: 'viewer',
    summary: 'Partnerships of the caller, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        status: Partnership.shape.status.describe('Of this status alone.').optional(),
      }),
    },
    output: pageOf(Partnership),
  }),
  propose: post('/v1/partnerships', {
    summary: 'Proposes a partnership to another account.',
    input: {
      body: z.strictObject({
        counterparty: Address,
        campaignIds: z.array(CampaignId).min(1).max(100).describe('Campaigns it is about.'),
        terms: textInput(3_000).describe('At most 3000 characters.'),
        expiresAt: Timestamp.describe('Until when it may be answered.'),
      }),
    },
    output: Partnership,
  }),
  respond: post('/v1/partnerships/:id/responses', {
    summary: 'Accepts or declines a proposal.',
    input: {
      params,
      body: z.strictObject({
        response: z.enum(['accept', 'decline']),
        reason: textInput(500).describe('At most 500 characters.').optional(),
      }),
    },
    output: Partnership,
  }),
  terminate: post('/v1/partnerships/:id/terminate', {
    summary: 'Ends a partnership; what was sold stays as it is.',
    input: {
      params,
      body: z.strictObject({ reason: textInput(500).describe('At most 500 characters.') }),
    },
    output: Partnership,
  }),
});
