/** What a wallet is asked to sign: nothing here signs for anyone. */
import { z } from 'zod';
import { Address, AmountInput, ChainId } from '../values.ts';

export const UnsignedTransaction = z.strictObject({
  chainId: ChainId,
  to: Address.describe('The contract that is called.'),
  data: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
    .describe('Calldata: 0x and hex digits.'),
  value: AmountInput.describe('Of the chain’s own coin, wei.'),
  description: z.string().describe('A sentence: what it does, with its amounts.'),
  simulation: z
    .strictObject({
      status: z
        .enum(['success', 'revert', 'unavailable'])
        .describe('unavailable: the chain could not be asked, or an earlier one must land first.'),
      error: z.string().nullable().describe('The contract’s error by name; null where none.'),
      gas: AmountInput.nullable().describe('Estimated gas units; null where unknown.'),
    })
    .describe('What eth_call as the caller answered at the newest block.'),
});
