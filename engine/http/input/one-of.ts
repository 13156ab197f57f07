import { invalidInput } from '../errors.ts';

/**
 * Value of a field that the contract declares as a string, but that must be one of a few words.
 * @throws {HttpError} VALIDATION_FAILED naming the field and the words.
 */
export function oneOf<const T extends string>(
  path: string,
  value: string | undefined,
  words: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw invalidInput([{ path, message: `must be one of ${words.join(', ')}` }]);
}
