import type { Meta } from '../../contract/envelope.ts';
import type { SumTokens } from '../../db/read/most-settled-token.ts';
import type { Answer } from '../handler.ts';
import { tokenOf } from './product.ts';

/** What an answer's `meta` tells of it, beside the request: its block, and the tokens of its sums. */
export function answerMeta({
  chain,
  tokens,
}: Pick<Answer<unknown>, 'chain' | 'tokens'>): Omit<Meta, 'requestId'> {
  return { ...(chain && { chain }), ...(tokens && tokenMeta(tokens)) };
}

/** The token of sums that name none, and those that they leave out. */
function tokenMeta({ token, otherTokens }: SumTokens): Pick<Meta, 'token' | 'otherTokens'> {
  return { token: tokenOf(token), otherTokens: otherTokens.map(tokenOf) };
}
