import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Address, AmountInput, ChainId } from '../values.ts';

/** A transaction for a wallet to sign. The service never signs for anyone. */
export const UnsignedTransaction = z.strictObject({
  chainId: ChainId,
  to: Address.describe('The contract that is called.'),
  data: z
    .string()
    .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
    .describe('Calldata: 0x and hex digits.'),
  value: AmountInput.describe('Amount of the chain’s own coin, wei.'),
  description: z.string().describe('A sentence: its effect, with its amounts.'),
  simulation: z
    .strictObject({
      status: z
        .enum(['success', 'revert', 'unavailable'])
        .describe('unavailable: no answer from the chain, or an earlier transaction is pending.'),
      error: z.string().nullable().describe('Name of the contract’s error; null if there is none.'),
      gas: AmountInput.nullable().describe('Estimated gas units; null if unknown.'),
    })
    .describe('Result of eth_call as the caller at the newest block.'),
});

nameSchemas({ UnsignedTransaction });
