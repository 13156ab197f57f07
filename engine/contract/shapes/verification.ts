// The result of a verification (docs/api.md#verifying-a-receipt): named checks with their evidence.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { BlockRef, ChainId, SaleId } from '../values.ts';

const Verdict = z
  .enum(['pass', 'fail', 'unavailable'])
  .describe('unavailable: the chain did not answer.');

/** Result of a verification. */
export const Verification = z.strictObject({
  chainId: ChainId,
  saleId: SaleId,
  verdict: Verdict.describe('fail if a check failed, else unavailable if one was, else pass.'),
  block: BlockRef.nullable().describe('The chain’s block that everything was checked as of.'),
  checks: z.array(
    z.strictObject({
      name: z.enum([
        ...(['transaction', 'sale', 'campaign', 'policy', 'path', 'split'] as const),
        ...(['transitions', 'state'] as const),
      ]),
      status: Verdict,
      message: z.string().describe('A sentence with the values.'),
      evidence: z.record(z.string(), z.unknown()),
    }),
  ),
});

nameSchemas({ VerificationVerdict: Verdict, Verification });
