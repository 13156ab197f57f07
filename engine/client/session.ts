/** What a signed-in client sends with its calls. */
export interface ClientSession {
  /** From sign-in: goes with every write, as header `x-csrf-token`. */
  readonly csrfToken: string;
  /** The session's cookie, `name=value`. A browser keeps its own, and sends it by itself. */
  readonly cookie?: string | undefined;
}

/**
 * Keeps who is signed in. Where there is no browser to do it, it also keeps the cookies that the
 * service sets: a browser shows a page no `Set-Cookie`, so there this part stays empty.
 */
export class SessionKeeper {
  #csrfToken: string | undefined;
  readonly #cookies = new Map<string, string>();

  /** Sets, or with `null` forgets, the session. */
  use(session: ClientSession | null): void {
    this.#csrfToken = session?.csrfToken;
    if (session === null) this.#cookies.clear();
    if (session?.cookie !== undefined) this.#keep(session.cookie);
  }

  /** The headers of a call that takes the session along. */
  headers(isWrite: boolean): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return {
      ...(cookie === '' ? {} : { cookie }),
      ...(isWrite && this.#csrfToken !== undefined ? { 'x-csrf-token': this.#csrfToken } : {}),
    };
  }

  /** Takes what an answer says about the session: its cookies, and a CSRF token in its data. */
  learn(headers: Headers, data: unknown): void {
    for (const cookie of headers.getSetCookie?.() ?? []) this.#keep(cookie);
    if (typeof data !== 'object' || data === null || !('csrfToken' in data)) return;
    if (typeof data.csrfToken === 'string') this.#csrfToken = data.csrfToken;
  }

  #keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split(';');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    const gone = attributes.some((attribute) => /^\s*max-age=(0|-\d+)\s*$/i.test(attribute));
    if (gone || value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
