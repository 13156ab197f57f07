import { z } from 'zod';
import { del, get, patch, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { roles } from '../roles.ts';
import { AuditEntry } from '../shapes/audit.ts';
import { Address, ConfirmationToken, Done, Id, pageOf, pageQuery, Timestamp } from '../values.ts';

const Member = z.strictObject({
  id: Id,
  address: Address,
  role: z.enum(roles),
  status: z.enum(['invited', 'active', 'removed']),
  joinedAt: Timestamp.nullable().describe('null while invited.'),
});

const Membership = z.strictObject({
  merchant: Address.describe('For the header x-merchant.'),
  slug: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(roles),
});

const role = z
  .enum(['admin', 'analyst', 'viewer'])
  .describe('Only transferOwnership assigns owner.');
const params = z.strictObject({ id: Id });

nameSchemas({ TeamMember: Member, TeamMembership: Membership });

/** Methods for the team of a merchant. */
export const team = resource('team', {
  about: 'Who works for a merchant (designed).',
  caller: 'admin',
  availability: 'optional',
})({
  mine: get('/v1/me/merchants', {
    documentedName: null,
    caller: 'account',
    summary: 'Merchants for which the account works; the header x-merchant selects one of them.',
    input: {},
    output: z.array(Membership),
  }),
  members: get('/v1/merchant/team', {
    caller: 'viewer',
    summary: 'Accounts that work for the merchant, were invited to, or did.',
    input: {},
    output: z.array(Member),
  }),
  invite: post('/v1/merchant/team', {
    rights: 'widens',
    summary: 'Invites an account to the team; it joins by signing in. Requires a fresh signature.',
    input: {
      body: z.strictObject({ address: Address, role, confirmationToken: ConfirmationToken }),
    },
    output: Member,
  }),
  updateRole: patch('/v1/merchant/team/:id', {
    rights: 'widens',
    summary: 'Gives a member another role. Requires a fresh signature.',
    input: { params, body: z.strictObject({ role, confirmationToken: ConfirmationToken }) },
    output: Member,
  }),
  remove: del('/v1/merchant/team/:id', {
    caller: 'viewer',
    rights: 'narrows',
    summary: 'Takes a member out of the team, and revokes its keys; anyone may leave.',
    input: { params },
    output: Done,
  }),
  audit: get('/v1/merchant/team/audit', {
    summary: 'What members and their keys changed, newest first, as a chain of hashes.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(AuditEntry),
  }),
  transferOwnership: post('/v1/merchant/team/transfer', {
    caller: 'owner',
    rights: 'widens',
    summary: 'Makes another member the owner. Requires a fresh signature.',
    input: {
      body: z.strictObject({
        address: Address.describe('The new owner.'),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Done,
  }),
});
