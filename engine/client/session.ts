/** Session of a signed-in account, which the client sends with its calls. */
export interface ClientSession {
  /** Token from sign-in, sent with every write as header `x-csrf-token`. */
  readonly csrfToken: string;
  /** Cookie of the session, `name=value`. In a browser it is empty: the browser sends its own. */
  readonly cookie?: string | undefined;
}

/**
 * Stores the session. Without a browser it also stores the cookies that the service sets; browsers hide
 * `Set-Cookie` from pages and store cookies themselves.
 */
export class SessionKeeper {
  #csrfToken: string | undefined;
  readonly #cookies = new Map<string, string>();

  /** Sets the session; `null` removes it. */
  use(session: ClientSession | null): void {
    this.#csrfToken = session?.csrfToken;
    if (session === null) this.#cookies.clear();
    if (session?.cookie !== undefined) this.#keep(session.cookie);
  }

  /** True if this client got a session and has not removed it. */
  get isKnown(): boolean {
    return this.#csrfToken !== undefined;
  }

  /** Headers of a call with the session. */
  headers(isWrite: boolean): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return {
      ...(cookie === '' ? {} : { cookie }),
      ...(isWrite && this.#csrfToken !== undefined ? { 'x-csrf-token': this.#csrfToken } : {}),
    };
  }

  /** Stores the cookies of a response. */
  learnCookies(headers: Headers): void {
    for (const cookie of headers.getSetCookie?.() ?? []) this.#keep(cookie);
  }

  /** Stores the CSRF token in the data of a response, if it has one. */
  learnToken(data: unknown): void {
    if (typeof data !== 'object' || data === null || !('csrfToken' in data)) return;
    if (typeof data.csrfToken === 'string') this.#csrfToken = data.csrfToken;
  }

  #keep(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split(';');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    const expired = attributes.some((attribute) => /^\s*max-age=(0|-\d+)\s*$/i.test(attribute));
    if (expired || value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
