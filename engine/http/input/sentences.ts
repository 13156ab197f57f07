import type { z } from 'zod';

/** The word for each type that a field can have. */
const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object, in a query as JSON',
  record: 'an object, in a query as JSON',
  file: 'a file',
};

/** The words for formats whose schemas have no sentence of their own. */
const formats: Readonly<Record<string, string>> = {
  datetime: 'a time in ISO 8601, such as 2026-01-31T12:00:00Z',
  email: 'an e-mail address',
  url: 'a web address',
};

/**
 * The sentence of an issue: what would be right. For issues whose schema has no sentence of its own.
 * @returns `undefined` for zod's own sentence.
 */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${types[issue.expected] ?? issue.expected}`;
    case 'too_big':
      return boundOf('at most', issue.maximum, issue);
    case 'too_small':
      return boundOf('at least', issue.minimum, issue);
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? `of the form ${issue.pattern ?? issue.format}`}`;
    case 'invalid_value':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : 'has none of the forms that it may have';
    default:
      return undefined;
  }
}

/** Units that bounds of a type count; a number counts nothing. */
const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  file: 'byte',
};

function boundOf(
  which: string,
  bound: number | bigint,
  { origin, inclusive = true }: { readonly origin: string; readonly inclusive?: boolean },
): string {
  const unit = units[origin];
  if (unit !== undefined) return `must have ${which} ${bound} ${unit}${bound === 1 ? '' : 's'}`;
  if (inclusive) return `must be ${which} ${bound}`;
  return `must be ${which === 'at most' ? 'less' : 'greater'} than ${bound}`;
}
