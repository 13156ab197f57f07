import type { ResponseMeta } from '../../contract/envelope.ts';
import type { SumTokens } from '../../db/read/tokens.ts';
import type { MethodResult } from '../handler-types.ts';
import { tokenOf } from './product.ts';

/** `meta` of a result without the request id: the block that was read, and the tokens of its totals. */
export function answerMeta({
  chain,
  tokens,
}: Pick<MethodResult<unknown>, 'chain' | 'tokens'>): Omit<ResponseMeta, 'requestId'> {
  return { ...(chain && { chain }), ...(tokens && tokenMeta(tokens)) };
}

/** Token of the totals that name none, and the tokens that they leave out. */
function tokenMeta({ token, otherTokens }: SumTokens): Pick<ResponseMeta, 'token' | 'otherTokens'> {
  return { token: tokenOf(token), otherTokens: otherTokens.map(tokenOf) };
}
