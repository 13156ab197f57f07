/** A read that `public/early.js` sent before this code had arrived. */
interface EarlyRead {
  readonly url: string;
  readonly response: Promise<Response>;
}

declare global {
  interface Window {
    earlyRead?: EarlyRead;
  }
}

/**
 * Sends a request, unless it is the read that was sent early: that response is taken, once. It carried the cookies of
 * this origin, as every call does.
 */
export async function fetchOnce(
  ...[input, init]: Parameters<typeof fetch>
): ReturnType<typeof fetch> {
  const early = window.earlyRead;
  if (early === undefined || (init?.method ?? 'GET') !== 'GET' || input !== early.url) {
    return await fetch(input, init);
  }
  delete window.earlyRead;
  return await early.response;
}
