import { useSearchParams } from 'wouter';

/** Filters of a list: they are in the page's address (`?status=active&sort=newest`), so that it can be linked to. */
export interface Filters {
  /** Value of a filter; `undefined` if it is not set. */
  readonly get: (name: string) => string | undefined;
  /** Sets a filter, or removes it with an empty value. */
  readonly set: (name: string, value: string) => void;
  /** Removes all filters. */
  readonly clear: () => void;
  readonly any: boolean;
}

/** The filters in the address of this page. */
export function useFilters(): Filters {
  const [params, setParams] = useSearchParams();
  return {
    get: (name) => params.get(name) || undefined,
    set: (name, value) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    clear: () => setParams(new URLSearchParams(), { replace: true }),
    any: [...params.keys()].length > 0,
  };
}

/** A value from the address if it is one of those that the list knows; otherwise `undefined`. */
export function oneOf<const T extends string>(
  value: string | undefined,
  known: readonly T[],
): T | undefined {
  return known.find((one) => one === value);
}
