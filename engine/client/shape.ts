// Checks of JSON values. Every page loads them: a library of schemas was a third of all that pages loaded.

/** True if a value has the form of T. */
export type Check<T = unknown> = (value: unknown) => value is T;

type Test = (value: unknown) => boolean;

/** True for a text. */
export function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Returns a check for texts that match a pattern. */
export function matches(pattern: RegExp): Test {
  return (value) => typeof value === 'string' && pattern.test(value);
}

/** Returns a check for whole numbers within bounds, both included. */
export function isInteger(min: number, max: number): Test {
  return (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Returns a check for values that are absent, or pass another check. */
export function optional(test: Test): Test {
  return (value) => value === undefined || test(value);
}

/** Returns a check for lists whose items all pass another check. */
export function listOf(test: Test): Test {
  return (value) => Array.isArray(value) && value.every(test);
}

/** Returns a check for objects whose members pass their checks. Other members may be anything. */
export function objectOf<T>(members: Readonly<Record<string, Test>>): Check<T> {
  const tests = Object.entries(members);
  return (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return tests.every(([name, test]) => test(Reflect.get(value, name)));
  };
}
