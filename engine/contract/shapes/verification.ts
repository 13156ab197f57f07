/** The answer of a verification (design §6): named checks, each with its evidence. */
import { z } from 'zod';
import { BlockNumber, ChainId, Hash32, SaleId, Timestamp } from '../values.ts';

const Verdict = z
  .enum(['pass', 'fail', 'unavailable'])
  .describe('unavailable: the chain could not be asked.');

export const Verification = z.strictObject({
  chainId: ChainId,
  saleId: SaleId,
  verdict: Verdict.describe(
    'fail where a check failed, else unavailable where one was, else pass.',
  ),
  block: z
    .strictObject({ number: BlockNumber, hash: Hash32, timestamp: Timestamp })
    .nullable()
    .describe('The chain’s block that everything was checked as of.'),
  checks: z.array(
    z.strictObject({
      name: z.enum([
        ...(['transaction', 'sale', 'campaign', 'policy', 'path', 'split'] as const),
        ...(['transitions', 'state'] as const),
      ]),
      status: Verdict,
      message: z.string().describe('A sentence with the figures.'),
      evidence: z.record(z.string(), z.unknown()),
    }),
  ),
});
