import { exactMoney, percent, type Unit } from '../../format.ts';

/**
 * A sentence of the service with its amounts in whole tokens and its basis points in per cent. A message of the API has
 * one unit for every reader, programs too; a person reads the token's.
 *
 * @example
 * readable('The budget covers 3 more sales at 18750000 base units of TUSD.', token) // '… at 18.75 TUSD.'
 */
export function readable(text: string, token: Unit): string {
  return text
    .replace(
      /(\d+) base units of (?:0x[0-9a-fA-F]{40}|\S+?)(?: \(0x[0-9a-fA-F]{40}\))?(?=[\s.,:;]|$)/g,
      (_, units: string) => exactMoney(units, token),
    )
    .replace(/(\d+) basis points/g, (_, bps: string) => percent(BigInt(bps)));
}
