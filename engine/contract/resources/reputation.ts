import { z } from 'zod';
import { designed, get, patch, resource } from '../define.ts';
import { Handle, OwnProfile, Profile, Visibility } from '../shapes/distributor.ts';
import { Address, ConfirmationToken, nameInput } from '../values.ts';

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
  exportCredential: designed(
    'POST /v1/me/reputation/credential',
    'Issues a signed statement of the caller’s track record.',
  ),
  credentials: designed(
    'GET /v1/me/reputation/credentials',
    'Statements that were issued to the caller, newest first.',
  ),
  revokeCredential: designed('DELETE /v1/me/reputation/credentials/:id', 'Revokes a statement.'),
  verifyCredential: designed(
    'POST /v1/credentials/verify',
    'Checks a statement of a track record: signature, time, revocation.',
    { caller: 'public' },
  ),
});
