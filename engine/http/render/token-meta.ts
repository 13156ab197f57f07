import type { Meta } from '../../contract/envelope.ts';
import type { SumTokens } from '../../db/read/most-settled-token.ts';
import { tokenOf } from './product.ts';

/** The token of sums that name none, and those that they leave out, as `meta` tells them. */
export function tokenMeta({ token, otherTokens }: SumTokens): Pick<Meta, 'token' | 'otherTokens'> {
  return { token: tokenOf(token), otherTokens: otherTokens.map(tokenOf) };
}
