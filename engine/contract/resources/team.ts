import { z } from 'zod';
import { defineMethod } from '../define.ts';
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
export const team = {
  mine: defineMethod({
    name: 'team.mine',
    documentedName: null,
    method: 'GET',
    path: '/v1/me/merchants',
    access: 'session',
    caller: 'account',
    availability: 'optional',
    summary: 'Merchants for which the account works; the header x-merchant selects one of them.',
    input: {},
    output: z.array(Membership),
  }),
  members: defineMethod({
    name: 'team.members',
    method: 'GET',
    path: '/v1/merchant/team',
    access: 'session',
    caller: 'viewer',
    availability: 'optional',
    summary: 'Accounts that work for the merchant, were invited to, or did.',
    input: {},
    output: z.array(Member),
  }),
  invite: defineMethod({
    name: 'team.invite',
    method: 'POST',
    path: '/v1/merchant/team',
    access: 'session',
    caller: 'admin',
    rights: 'widens',
    availability: 'optional',
    summary: 'Invites an account to the team; it joins by signing in. Requires a fresh signature.',
    input: {
      body: z.strictObject({ address: Address, role, confirmationToken: ConfirmationToken }),
    },
    output: Member,
  }),
  updateRole: defineMethod({
    name: 'team.updateRole',
    method: 'PATCH',
    path: '/v1/merchant/team/:id',
    access: 'session',
    caller: 'admin',
    rights: 'widens',
    availability: 'optional',
    summary: 'Gives a member another role. Requires a fresh signature.',
    input: { params, body: z.strictObject({ role, confirmationToken: ConfirmationToken }) },
    output: Member,
  }),
  remove: defineMethod({
    name: 'team.remove',
    method: 'DELETE',
    path: '/v1/merchant/team/:id',
    access: 'session',
    caller: 'viewer',
    rights: 'narrows',
    availability: 'optional',
    summary: 'Takes a member out of the team, and revokes its keys; anyone may leave.',
    input: { params },
    output: Done,
  }),
  audit: defineMethod({
    name: 'team.audit',
    method: 'GET',
    path: '/v1/merchant/team/audit',
    access: 'session',
    caller: 'admin',
    availability: 'optional',
    summary: 'What members and their keys changed, newest first, as a chain of hashes.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(AuditEntry),
  }),
  transferOwnership: defineMethod({
    name: 'team.transferOwnership',
    method: 'POST',
    path: '/v1/merchant/team/transfer',
    access: 'session',
    caller: 'owner',
    rights: 'widens',
    availability: 'optional',
    summary: 'Makes another member the owner. Requires a fresh signature.',
    input: {
      body: z.strictObject({
        address: Address.describe('The new owner.'),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: Done,
  }),
} as const;
