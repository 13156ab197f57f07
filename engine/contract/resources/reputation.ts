import { z } from 'zod';
import { del, get, patch, post, resource } from '../define.ts';
import { Credential, Handle, OwnProfile, Profile, Visibility } from '../shapes/distributor.ts';
import {
  Address,
  ConfirmationToken,
  Id,
  nameInput,
  pageOf,
  pageQuery,
  Timestamp,
  textInput,
} from '../values.ts';

/** Methods for track records of distributors. */
export const reputation = resource('reputation', {
  about: 'Public profiles of distributors, by their settled record.',
  caller: 'account',
})({
  get: get('/v1/distributors/:addressOrHandle/profile', {
    caller: 'public',
    summary: 'The public track record of a distributor, by address or by handle.',
    input: {
      params: z.strictObject({
        addressOrHandle: z
          .union([Address, Handle], 'must be 0x and 40 hex digits, or a handle')
          .describe('An address, 0x…, or a handle.'),
      }),
    },
    output: Profile,
  }),
  mine: get('/v1/me/reputation', {
    summary: 'The caller’s own track record, and the part that others see.',
    input: {},
    output: OwnProfile,
  }),
  updateVisibility: patch('/v1/me/reputation/visibility', {
    summary: 'Sets the caller’s handle, and whether it may be linked to the address.',
    input: {
      body: z.strictObject({
        visibility: Visibility,
        handle: Handle.nullable().describe('null removes it; omitted, it is unchanged.').optional(),
        displayName: nameInput
          .nullable()
          .describe('1 to 100 characters; null removes it; omitted, it is unchanged.')
          .optional(),
        confirmationToken: ConfirmationToken,
      }),
    },
    output: OwnProfile,
  }),
  exportCredential: post('/v1/me/reputation/credential', {
    availability: 'designed',
    summary: 'Issues a signed statement of the caller’s track record.',
    input: {
      body: z.strictObject({
        format: Credential.shape.format,
        claims: Credential.shape.claims.min(1).max(4),
        expiresAt: Timestamp,
      }),
    },
    output: Credential.extend({ token: z.string().describe('The signed statement itself.') }),
  }),
  credentials: get('/v1/me/reputation/credentials', {
    availability: 'designed',
    summary: 'Statements that were issued to the caller, newest first.',
    input: { query: z.strictObject(pageQuery) },
    output: pageOf(Credential),
  }),
  revokeCredential: del('/v1/me/reputation/credentials/:id', {
    availability: 'designed',
    summary: 'Revokes a statement.',
    input: { params: z.strictObject({ id: Id }) },
    output: Credential,
  }),
  verifyCredential: post('/v1/credentials/verify', {
    caller: 'public',
    availability: 'designed',
    summary: 'Checks a statement of a track record: signature, time, revocation.',
    input: {
      body: z.strictObject({ token: textInput(20_000).describe('The signed statement.') }),
    },
    output: z.strictObject({
      valid: z.boolean(),
      reason: z.string().nullable().describe('Why not; null if valid.'),
      credential: Credential.nullable(),
    }),
  }),
});
