import { mixesScripts } from '../../core/look-alike-names.ts';
import { isReservedName } from '../../core/reserved-names.ts';
import {
  MAX_NAMES_GIVEN_UP,
  NAME_RESERVED_DAYS,
  type NameKind,
  type NameRefusal,
} from '../../db/commerce/released-names.ts';
import { conflict, type HttpError, invalidField, unprocessable } from '../errors.ts';

/**
 * Refuses words that would pass for the service (docs/reference/api.md#protected-names).
 * @throws {HttpError} VALIDATION_FAILED naming the field.
 */
export function requireUnreserved(field: string, name: string | null | undefined): void {
  if (name == null || !isReservedName(name)) return;
  throw invalidField(field, 'is reserved for the service: choose another one');
}

/**
 * Refuses a name with a word that mixes scripts, such as a Cyrillic letter between Latin ones (docs/reference/api.md#protected-names).
 * @throws {HttpError} VALIDATION_FAILED naming the field.
 */
export function requireOneScript(field: string, name: string | null | undefined): void {
  if (name == null || !mixesScripts(name)) return;
  throw invalidField(field, 'has a word with letters of several scripts: write each word in one');
}

/** The error for a name that the account may not have. */
export function nameRefusal(kind: NameKind, name: string, why: NameRefusal): HttpError {
  switch (why) {
    case 'taken':
      return conflict(`The ${kind} ${name} belongs to another account: choose another one.`);
    case 'released':
      return conflict(
        `Another account had the ${kind} ${name} in the last ${NAME_RESERVED_DAYS} days: choose another one.`,
      );
    case 'too_many_changes':
      return unprocessable(
        `You gave up ${MAX_NAMES_GIVEN_UP} ${kind}s in the last ${NAME_RESERVED_DAYS} days: keep this one, or wait.`,
      );
  }
}
