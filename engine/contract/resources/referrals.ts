import { z } from 'zod';
import { decodeReferralCode, MAX_REFERRAL_CODE_CHARACTERS } from '../../core/referral-code.ts';
import { get, post, resource } from '../define.ts';
import { Referral, ReferralOpen } from '../shapes/link.ts';

const code = z
  .string()
  .max(MAX_REFERRAL_CODE_CHARACTERS, `must have at most ${MAX_REFERRAL_CODE_CHARACTERS} characters`)
  .refine((text) => decodeReferralCode(text) !== undefined, 'is no referral code, or mistyped')
  .describe('Code of a node, as people write it: case and hyphens do not matter, O is 0, I is 1.');
const params = z.strictObject({ code });

/** Methods for referral codes. */
export const referrals = resource('referrals', {
  about: 'What a referral code leads to.',
  caller: 'public',
  documentedName: null,
})({
  get: get('/v1/referrals/:code', {
    summary: 'The link that a referral code names, and whether its campaign takes sales.',
    input: { params },
    output: Referral,
  }),
  open: post('/v1/referrals/:code/open', {
    summary: 'Counts that a link was opened, without storing by whom.',
    input: { params },
    output: ReferralOpen,
  }),
});
