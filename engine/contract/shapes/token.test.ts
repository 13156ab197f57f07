import { expect, it } from 'vitest';
import { Token } from './common.ts';
import { TokenTotals } from './token-totals.ts';

const token = { address: `0x${'1'.repeat(40)}`, symbol: 'TUSD', decimals: 6 };

it('says of a token whether it is of a test network in tokens.list, which always knows, and nowhere else', () => {
  const chainToken = TokenTotals.shape.token;
  expect(chainToken.safeParse({ ...token, testnet: true }).success).toBe(true);
  expect(chainToken.safeParse(token).success).toBe(false);
  expect(Token.safeParse(token).success).toBe(true);
  expect(Token.safeParse({ ...token, testnet: true }).success).toBe(false);
});
