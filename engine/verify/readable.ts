import { plainText } from '../core/plain-text.ts';
import type { ChainFields } from './types.ts';

/** How amounts of a token are written. */
interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

/**
 * A check's message for people: base units as whole tokens, times without `T` and milliseconds. The message
 * itself keeps the exact values, and so does the evidence. Symbols and values of strangers cannot act on a terminal.
 *
 * @example
 * readable('Of 64000000 base units, …', { symbol: 'TUSD', decimals: 6 }) // 'Of 64 TUSD, …'
 */
export function readable(message: string, token: Token | undefined): string {
  const timed = message.replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.000)?Z/g, '$1 $2 UTC');
  if (token === undefined) return plainText(timed);
  const written = timed.replace(/\b(\d+) base units?\b/g, (_all, units: string) => {
    return `${wholeTokens(units, token.decimals)} ${token.symbol}`;
  });
  return plainText(written);
}

/**
 * A sentence for people if the token of a verified sale is not known: its symbol and decimals come from the chain's event of the
 * campaign's creation, and never from a service. Then amounts are base units of the token that the policy names.
 *
 * @param facts what a verification read from the chain; `undefined` if it read nothing.
 */
export function unknownToken(facts: ChainFields | undefined): string | undefined {
  if (facts === undefined || facts.token !== undefined) return undefined;
  const token = facts.policy === undefined ? '' : ` of token ${facts.policy.rewardToken}`;
  return `Amounts are in base units${token}: its symbol and decimals could not be read.`;
}

/** Base units as whole tokens, without trailing zeros. */
function wholeTokens(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`;
}
