import { z } from 'zod';
import { del, get, patch, post, resource } from '../define.ts';
import { Community, CommunityMember } from '../shapes/community.ts';
import { Done, Id, pageOf, pageQuery, textInput } from '../values.ts';

const params = z.strictObject({ id: Id });
const name = textInput(100).min(1).describe('1 to 100 characters.');
const description = textInput(2_000).describe('At most 2000 characters.');
const { access } = Community.shape;

/** Methods for communities of distributors. They are not built yet. */
export const communities = resource('communities', {
  about: 'Groups of distributors (designed).',
  caller: 'account',
  availability: 'designed',
})({
  list: get('/v1/communities', {
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
  get: get('/v1/communities/:id', {
    summary: 'A community.',
    input: { params },
    output: Community,
  }),
  create: post('/v1/communities', {
    summary: 'Founds a community; the caller owns it.',
    input: { body: z.strictObject({ name, description, access }) },
    output: Community,
  }),
  members: get('/v1/communities/:id/members', {
    summary: 'Members of a community, in the order in which they joined.',
    input: { params, query: z.strictObject(pageQuery) },
    output: pageOf(CommunityMember),
  }),
  join: post('/v1/communities/:id/members', {
    summary: 'Joins a community, or asks to.',
    input: { params },
    output: CommunityMember,
  }),
  leave: del('/v1/communities/:id/members/me', {
    summary: 'Leaves a community; its owner cannot.',
    input: { params },
    output: Done,
  }),
  update: patch('/v1/communities/:id', {
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
});
