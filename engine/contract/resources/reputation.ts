import { z } from 'zod';
import { defineMethod, designed } from '../define.ts';
import { Handle, OwnProfile, Profile, Visibility } from '../shapes/distributor.ts';
import { Address, ConfirmationToken, nameInput } from '../values.ts';

/** Methods for track records of distributors. */
export const reputation = {
  get: defineMethod({
    name: 'reputation.get',
    method: 'GET',
    path: '/v1/distributors/:addressOrHandle/profile',
    access: 'public',
    availability: 'live',
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
  mine: defineMethod({
    name: 'reputation.mine',
    method: 'GET',
    path: '/v1/me/reputation',
    access: 'session',
    caller: 'account',
    availability: 'live',
    summary: 'The caller’s own track record, and the part that others see.',
    input: {},
    output: OwnProfile,
  }),
  updateVisibility: defineMethod({
    name: 'reputation.updateVisibility',
    method: 'PATCH',
    path: '/v1/me/reputation/visibility',
    access: 'session',
    caller: 'account',
    availability: 'live',
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
    'reputation.exportCredential',
    'POST /v1/me/reputation/credential',
    'account',
    'Issues a signed statement of the caller’s track record.',
  ),
  credentials: designed(
    'reputation.credentials',
    'GET /v1/me/reputation/credentials',
    'account',
    'Statements that were issued to the caller, newest first.',
  ),
  revokeCredential: designed(
    'reputation.revokeCredential',
    'DELETE /v1/me/reputation/credentials/:id',
    'account',
    'Revokes a statement.',
  ),
  verifyCredential: designed(
    'reputation.verifyCredential',
    'POST /v1/credentials/verify',
    'public',
    'Checks a statement of a track record: signature, time, revocation.',
  ),
} as const;
