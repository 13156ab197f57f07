import type { ContractFunctionArgs, ContractFunctionName } from 'viem';
import type { referralCommerceAbi } from '../abis/referralCommerce.ts';
import type { testTokenAbi } from '../abis/testToken.ts';

type CommerceAbi = typeof referralCommerceAbi;
type TokenAbi = typeof testTokenAbi;

/** Functions of the contract that change its state. */
export type CommerceFunction = ContractFunctionName<CommerceAbi, 'nonpayable'>;
export type CommerceArgs<F extends CommerceFunction> = ContractFunctionArgs<
  CommerceAbi,
  'nonpayable',
  F
>;

/** Functions of the test token that change its state. */
export type TokenFunction = ContractFunctionName<TokenAbi, 'nonpayable'>;
export type TokenArgs<F extends TokenFunction> = ContractFunctionArgs<TokenAbi, 'nonpayable', F>;
