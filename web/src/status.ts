import { api, useApi } from './api.ts';

/** Milliseconds between two looks at how far the service is. */
const POLL_MS = 10_000;

/** How far the service is: one question that all pages share. */
export function useStatus() {
  return useApi(['system.status'], (options) => api.system.status({}, options), {
    refetchInterval: POLL_MS,
  });
}
