import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { Community, CommunityMember } from '../shapes/community.ts';
import { Done, Id, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });
const name = textInput(100).min(1).describe('1 to 100 characters.');
const description = textInput(2_000).describe('At most 2000 characters.');
const { access } = Community.shape;

/** Methods for communities of distributors. They are not built yet. */
export const communities = {
  list: defineMethod({
    name: 'communities.list',
    method: 'GET',
    path: '/v1/communities',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Communities of distributors, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        q: textInput(200).describe('Words of the name.').optional(),
        joined: z.boolean().describe('Those that the caller is a member of.').optional(),
      }),
    },
    output: pageOf(Community),
  }),
  get: defineMethod({
    name: 'communities.get',
    method: 'GET',
    path: '/v1/communities/:id',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'A community.',
    input: { params },
    output: Community,
  }),
  create: defineMethod({
    name: 'communities.create',
    method: 'POST',
    path: '/v1/communities',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Founds a community; the caller owns it.',
    input: { body: z.strictObject({ name, description, access }) },
    output: Community,
  }),
  members: defineMethod({
    name: 'communities.members',
    method: 'GET',
    path: '/v1/communities/:id/members',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Members of a community, in the order in which they joined.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(CommunityMember),
  }),
  join: defineMethod({
    name: 'communities.join',
    method: 'POST',
    path: '/v1/communities/:id/members',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Joins a community, or asks to.',
    input: { params },
    output: CommunityMember,
  }),
  leave: defineMethod({
    name: 'communities.leave',
    method: 'DELETE',
    path: '/v1/communities/:id/members/me',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Leaves a community; its owner cannot.',
    input: { params },
    output: Done,
  }),
  update: defineMethod({
    name: 'communities.update',
    method: 'PATCH',
    path: '/v1/communities/:id',
    access: 'session',
    caller: 'account',
    availability: 'designed',
    summary: 'Changes a community that the caller owns; what is left out stays.',
    input: {
      params,
      body: z.strictObject({
        name: name.optional(),
        description: description.optional(),
        access: access.optional(),
      }),
    },
    output: Community,
  }),
} as const;
