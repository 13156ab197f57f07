import { parseUnits } from 'viem';

/** Base units of an amount as a person writes it, and the reason if it is none. */
export type ReadAmount =
  | { readonly value: bigint; readonly issue?: undefined }
  | { readonly issue: string };

/**
 * Reads an amount of whole tokens, such as `18.75`. Spaces between digits are allowed.
 * @param max largest amount that is allowed, base units.
 *
 * @example
 * readAmount('1.5', { decimals: 6, max: 2_000_000n }) // { value: 1_500_000n }
 */
export function readAmount(
  text: string,
  { decimals, max }: { readonly decimals: number; readonly max: bigint },
): ReadAmount {
  const digits = text.replace(/\s/g, '');
  if (!/^[0-9]{1,60}(?:[.][0-9]{1,60})?$/.test(digits)) {
    return { issue: 'Write a number, such as 18.75.' };
  }
  const fraction = digits.split('.')[1]?.replace(/0+$/, '') ?? '';
  if (fraction.length > decimals) {
    return { issue: `The token has ${decimals} decimal places at most.` };
  }
  const value = parseUnits(digits, decimals);
  if (value === 0n) return { issue: 'The amount must be above 0.' };
  if (value > max) return { issue: 'That is more than can be refunded.' };
  return { value };
}
