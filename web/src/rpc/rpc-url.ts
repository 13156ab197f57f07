/** Message about an invalid RPC address; `undefined` if it is valid. */
export function rpcUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    return 'Give the address of an RPC: it begins with https:// or http://.';
  }
  const { username, password } = new URL(text);
  if (username !== '' || password !== '') {
    return 'A name and password in an address are not sent by browsers: leave them out.';
  }
  return undefined;
}

/**
 * True if a browser refuses the request: an https page may only request https, except from this
 * machine (W3C, Secure Contexts, "potentially trustworthy").
 */
export function isMixedContent(page: string, rpcUrl: string): boolean {
  const { protocol, hostname } = new URL(rpcUrl);
  if (new URL(page).protocol !== 'https:' || protocol !== 'http:') return false;
  return !/^(localhost|.*[.]localhost|127[.]\d+[.]\d+[.]\d+|\[::1\])$/.test(hostname);
}

/** The host of an address, for a message: the rest of it may hold a key. */
export function hostOf(rpcUrl: string): string {
  return URL.canParse(rpcUrl) ? new URL(rpcUrl).host : 'the RPC';
}
