// Referral codes: a node's id in Crockford's base 32 with two check characters, so that a code is
// resolved without a table and a mistyped one is detected.
//
// The check characters are a Reed–Solomon code over GF(32) (generator (x − α)(x − α²), α = 2,
// x⁵ + x² + 1). It detects any one or two wrong characters, any two that were swapped, and 1023 of 1024
// other mistakes. Lower case, O for 0, I and L for 1, and hyphens are accepted, as Crockford proposes
// (https://www.crockford.com/base32.html).

/** Digits of Crockford's base 32. */
export const BASE_32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Largest id that a bigint column holds: 13 characters, plus two check characters. */
const LARGEST_ID = 2n ** 63n - 1n;
/** Largest number of characters of a code as people write it, including hyphens. */
export const MAX_REFERRAL_CODE_CHARACTERS = 32;

/**
 * The referral code of a node.
 * @param nodeId decimal digits.
 * @returns `undefined` for an id without a code: `demo-…`, or above 2^63 − 1.
 *
 * @example
 * encodeReferralCode('4711') // '4K7PK'
 */
export function encodeReferralCode(nodeId: string): string | undefined {
  if (!/^(?:0|[1-9][0-9]{0,18})$/.test(nodeId) || BigInt(nodeId) > LARGEST_ID) return undefined;
  const digits = digitsOf(BigInt(nodeId));
  return [...digits, ...checkOf(digits)].map((digit) => BASE_32[digit]).join('');
}

/**
 * The id of the node that a referral code names, as decimal digits.
 * @returns `undefined` if the text is not a code or was mistyped.
 */
export function decodeReferralCode(code: string): string | undefined {
  if (code.length > MAX_REFERRAL_CODE_CHARACTERS) return undefined;
  const text = code.toUpperCase().replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const values = [...text].map((character) => BASE_32.indexOf(character));
  if (values.length < 3 || values.includes(-1)) return undefined;
  const digits = values.slice(0, -2);
  const [high, low] = checkOf(digits);
  if (values.at(-2) !== high || values.at(-1) !== low) return undefined;
  // One code for each id: only the code of node 0 begins with a zero.
  if (digits[0] === 0 && digits.length > 1) return undefined;
  const id = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
  return id <= LARGEST_ID ? id.toString() : undefined;
}

/** Digits of an id in base 32, most significant first. */
function digitsOf(id: bigint): number[] {
  const digits: number[] = [];
  for (let left = id; left > 0n || digits.length === 0; left /= 32n) {
    digits.unshift(Number(left % 32n));
  }
  return digits;
}

/** Check digits: the coefficients of the remainder of digits · x² by x² + 6x + 8, the higher first. */
function checkOf(digits: readonly number[]): [number, number] {
  let [high, low] = [0, 0];
  for (const digit of digits) {
    const carry = digit ^ high;
    high = low ^ multiply(carry, 6);
    low = multiply(carry, 8);
  }
  return [high, low];
}

/** Product in GF(32). */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0; bit < 5; bit += 1) {
    if (b & (1 << bit)) product ^= a << bit;
  }
  for (let bit = 9; bit >= 5; bit -= 1) {
    if (product & (1 << bit)) product ^= 0b100101 << (bit - 5);
  }
  return product;
}
