import { api, useApi } from './api.ts';

/**
 * True if this deployment has a method; some are only enabled by its configuration.
 * @returns `undefined` until the list of methods is loaded; `false` if it cannot be.
 */
export function useEnabled(method: string): boolean | undefined {
  const list = useApi(
    ['system.endpoints'],
    api.system.endpoints,
    {},
    {
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
  if (list.isError) return false;
  return list.data?.data.items.some(
    ({ name, availability }) => name === method && availability === 'live',
  );
}
