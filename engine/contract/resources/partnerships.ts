import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Partnership } from '../shapes/community.ts';
import { Address, CampaignId, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });

/** Methods for partnerships of accounts. They are not built yet. */
export const partnerships = {
  list: defineMethod({
    name: 'partnerships.list',
    method: 'GET',
    path: '/v1/partnerships',
    access: 'session',
    caller: 'viewer',
    availability: 'designed',
    summary: 'Partnerships of the caller, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        status: Partnership.shape.status.describe('Of this status alone.').optional(),
      }),
    },
    output: pageOf(Partnership),
  }),
  propose: defineMethod({
    name: 'partnerships.propose',
    method: 'POST',
    path: '/v1/partnerships',
    access: 'session',
    caller: 'admin',
    availability: 'designed',
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
  respond: defineMethod({
    name: 'partnerships.respond',
    method: 'POST',
    path: '/v1/partnerships/:id/responses',
    access: 'session',
    caller: 'admin',
    availability: 'designed',
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
  terminate: defineMethod({
    name: 'partnerships.terminate',
    method: 'POST',
    path: '/v1/partnerships/:id/terminate',
    access: 'session',
    caller: 'admin',
    availability: 'designed',
    summary: 'Ends a partnership; what was sold stays as it is.',
    input: {
      params,
      body: z.strictObject({ reason: textInput(500).describe('At most 500 characters.') }),
    },
    output: Partnership,
  }),
} as const;
