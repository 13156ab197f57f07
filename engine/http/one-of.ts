import { ValidationError } from './errors.ts';

/**
 * A field that the specification has as a free string, and that means one of a few words.
 * @throws {ValidationError} naming the field and the words.
 */
export function oneOf<const T extends string>(
  path: string,
  value: string | undefined,
  words: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new ValidationError([{ path, message: `must be one of ${words.join(', ')}` }]);
}
