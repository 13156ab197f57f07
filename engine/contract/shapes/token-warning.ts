import { z } from 'zod';
import { nameSchemas } from '../names.ts';

/** Something about a token that a merchant should know before it creates a campaign with it. */
export const TokenWarning = z.strictObject({
  code: z
    .enum([
      ...(['NO_TOKEN', 'APPROVALS', 'DEPOSITS_FAIL', 'INEXACT_PAYMENTS', 'PAYMENTS_FAIL'] as const),
      ...(['TRANSFER_FEE', 'SHARES', 'CALLS_BACK', 'REBASES', 'BLOCKLIST', 'PAUSABLE'] as const),
      ...(['FEE_POSSIBLE', 'UPGRADABLE', 'DECIMALS', 'NAME', 'NOT_TRIED', 'NOT_EXAMINED'] as const),
    ])
    .describe('NOT_TRIED and NOT_EXAMINED: nothing is known, which is not a good sign.'),
  message: z.string().describe('A sentence with the values.'),
});

nameSchemas({ TokenWarning });
