import { useSearchParams } from 'wouter';

/** Longest value of a filter that is read from the address. */
const MAX_LENGTH = 200;

/** Values of a filter with their labels. An empty value is the default, and is not in the address. */
export type FilterOptions<V extends string = string> = readonly (readonly [V, string])[];

/** Filters of a list: they are in the page's address (`?status=active&sort=newest`), so that it can be linked to. */
export interface Filters<N extends string> {
  /** Value of a filter; `undefined` if it is not set. */
  readonly get: (name: N) => string | undefined;
  /** Value of a filter if it is one of these options; otherwise `undefined`. */
  readonly chosen: <V extends string>(
    name: N,
    options: FilterOptions<V>,
  ) => Exclude<V, ''> | undefined;
  /** Sets a filter, or removes it with an empty value. */
  readonly set: (name: N, value: string) => void;
  /** Removes all filters of the list. */
  readonly clear: () => void;
  readonly any: boolean;
}

/** The filters with these names in the address of this page. */
export function useFilters<const N extends string>(...names: readonly N[]): Filters<N> {
  const [params, setParams] = useSearchParams();
  const change = (changes: readonly (readonly [name: N, value: string])[]) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of changes) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  const get = (name: N) => params.get(name)?.slice(0, MAX_LENGTH) || undefined;
  return {
    get,
    chosen: <V extends string>(name: N, options: FilterOptions<V>) => {
      const value = options.find(([one]) => one === get(name))?.[0];
      return value as Exclude<V, ''> | undefined;
    },
    set: (name, value) => change([[name, value]]),
    clear: () => change(names.map((name) => [name, ''])),
    any: names.some((name) => params.has(name)),
  };
}

/**
 * Options of a filter from the values by their names, after one for all of them.
 *
 * @example
 * optionsOf('All', { open: { word: 'Open' } }, ({ word }) => word) // [['', 'All'], ['open', 'Open']]
 */
export function optionsOf<V extends string, T>(
  all: string,
  values: Readonly<Record<V, T>>,
  labelOf: (value: T) => string,
): FilterOptions<V | ''> {
  const known = Object.entries<T>(values).map(([name, one]) => [name as V, labelOf(one)] as const);
  return [['', all], ...known];
}
