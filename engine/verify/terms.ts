import { keccak256 } from 'viem';
import { termsHash } from '../core/terms.ts';
import type { ChainLog } from './chain/decode.ts';

/** Where the terms of a campaign do not hash to what the chain registered. */
export function termsProblems({ args }: ChainLog<'CampaignCreated'>): string[] {
  const computed = termsHash((bytes) => keccak256(bytes, 'bytes'), args);
  if (computed === args.termsHash) return [];
  return [`The campaign’s terms hash to ${computed}, but ${args.termsHash} is registered.`];
}
