import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { AuditEntry } from '../shapes/audit.ts';
import { Address, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const Member = z.strictObject({
  id: Id,
  address: Address,
  role: z.enum(['owner', 'admin', 'analyst', 'viewer']),
  status: z.enum(['invited', 'active', 'removed']),
  joinedAt: Timestamp.nullable().describe('null while invited.'),
});

const role = z
  .enum(['admin', 'analyst', 'viewer'])
  .describe('Only transferOwnership assigns owner.');
const params = z.strictObject({ id: Id });
const ok = z.strictObject({ ok: z.literal(true) });

nameSchemas({ TeamMember: Member });

/** Methods for team members of a merchant. They are not built yet. */
export const team = {
  members: defineMethod({
    name: 'team.members',
    method: 'GET',
    path: '/v1/merchant/team',
    access: 'session',
    availability: 'designed',
    summary: 'Who works for the merchant.',
    input: {},
    output: z.array(Member),
  }),
  invite: defineMethod({
    name: 'team.invite',
    method: 'POST',
    path: '/v1/merchant/team',
    access: 'session',
    availability: 'designed',
    summary: 'Invites an account to the team.',
    input: { body: z.strictObject({ address: Address, role }) },
    output: Member,
  }),
  updateRole: defineMethod({
    name: 'team.updateRole',
    method: 'PATCH',
    path: '/v1/merchant/team/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Gives a member another role.',
    input: { params, body: z.strictObject({ role }) },
    output: Member,
  }),
  remove: defineMethod({
    name: 'team.remove',
    method: 'DELETE',
    path: '/v1/merchant/team/:id',
    access: 'session',
    availability: 'designed',
    summary: 'Takes a member out of the team.',
    input: { params },
    output: ok,
  }),
  audit: defineMethod({
    name: 'team.audit',
    method: 'GET',
    path: '/v1/merchant/team/audit',
    access: 'session',
    availability: 'designed',
    summary: 'Actions of members, newest first.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(AuditEntry),
  }),
  transferOwnership: defineMethod({
    name: 'team.transferOwnership',
    method: 'POST',
    path: '/v1/merchant/team/transfer',
    access: 'session',
    availability: 'designed',
    summary: 'Makes another account the owner.',
    input: {
      body: z.strictObject({
        address: Address.describe('The new owner.'),
        confirmationToken: textInput(128)
          .min(32)
          .describe('From a fresh confirmation; 32 to 128 characters.'),
      }),
    },
    output: ok,
  }),
} as const;
