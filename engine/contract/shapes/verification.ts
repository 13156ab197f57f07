// The result of a verification (docs/reference/api.md#verifying-a-receipt): named checks with their evidence.
import { z } from 'zod';
import { checkNames } from '../../core/receipt-coverage.ts';
import { nameSchemas } from '../names.ts';
import { BlockRef, ChainId, SaleId } from '../values.ts';

const Verdict = z
  .enum(['pass', 'fail', 'unavailable'])
  .describe('unavailable: the chain did not answer.');

/** Result of a verification. */
export const Verification = z.strictObject({
  chainId: ChainId,
  saleId: SaleId,
  verdict: z
    .enum(['pass', 'fail', 'unavailable', 'outdated'])
    .describe(
      'fail if a check failed, else unavailable if one was, else outdated if the chain has later events of the sale, else pass.',
    ),
  block: BlockRef.nullable().describe('The chain’s block that everything was checked as of.'),
  newestBlock: BlockRef.nullable().describe(
    'The newest block of the chain, up to which later events were searched.',
  ),
  checks: z.array(
    z.strictObject({
      name: z.enum(checkNames),
      status: Verdict,
      message: z.string().describe('A sentence with the values.'),
      evidence: z.record(z.string(), z.unknown()),
    }),
  ),
  notCompared: z
    .array(z.strictObject({ field: z.string(), reason: z.string() }))
    .describe('Fields of the receipt that no check compares with the chain.'),
});

nameSchemas({ VerificationVerdict: Verdict, Verification });
