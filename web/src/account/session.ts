import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../../engine/client/error.ts';
import { api, type DataOf } from '../api.ts';
import { removeValue, storedValue, storeValue } from '../storage.ts';

export type SignedIn = DataOf<typeof api.auth.session>;

/** Key of the session in the cache. */
export const SESSION_KEY = ['auth.session'];
/** The first part of the keys of all that is the signed-in account’s own. */
export const MINE = 'mine';
/** Under this name the browser stores that somebody is signed in: others are not asked about their session. */
const HINT = 'signed-in';

/** The session; `null` if signed out. The browser stores the cookie, and no script can read it. */
export function useSession() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: readSession });
}

/** The session if this browser remembers one; nearly no visitor is signed in. */
export function useRememberedSession(): SignedIn | undefined {
  const { data } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: readSession,
    enabled: storedValue(HINT) !== undefined,
  });
  return data ?? undefined;
}

/** Reads the session; `null` if signed out. */
export async function readSession({
  signal,
}: {
  readonly signal: AbortSignal;
}): Promise<SignedIn | null> {
  try {
    const { data } = await api.auth.session({}, { signal });
    rememberSession(true);
    return data;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'UNAUTHENTICATED')) throw error;
    rememberSession(false);
    return null;
  }
}

/** Lets later pages ask for the session, or not. */
export function rememberSession(isSignedIn: boolean): void {
  if (isSignedIn) storeValue(HINT, '1');
  else removeValue(HINT);
}
