import { privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { type Client, createClient } from '../../engine/client/index.ts';
import type { Actor } from '../actors.ts';

/** API at which the accounts of the sample sign in. */
export interface Site {
  readonly apiUrl: string;
  /** Origin that the sign-in messages name; the API must allow it. */
  readonly origin: string;
}

/** Total seconds that all accounts wait for rate limits. */
const MAX_WAIT_SECONDS = 90;

/** API clients of the sample's accounts. Each account signs in once, when it is first needed. */
export class Accounts {
  readonly #site: Site;
  readonly #clients = new Map<string, Client>();
  #remainingSeconds = MAX_WAIT_SECONDS;

  constructor(site: Site) {
    this.#site = site;
  }

  /** A client that is signed in as an account, and signs again if the API asks for it. */
  async as(actor: Actor): Promise<Client> {
    const known = this.#clients.get(actor.address);
    if (known !== undefined) return known;
    const { apiUrl, origin } = this.#site;
    const account = privateKeyToAccount(actor.privateKey);
    const sign = async ({ nonce, chainId }: { nonce: string; chainId: number }) => {
      const message = createSiweMessage({
        address: account.address,
        domain: new URL(origin).host,
        uri: origin,
        version: '1',
        chainId,
        nonce,
        issuedAt: new Date(),
      });
      return { message, signature: await account.signMessage({ message }) };
    };
    const client = createClient({ baseUrl: apiUrl, origin, fetch: this.#fetch, confirm: sign });
    await client.auth.signIn(await sign((await client.auth.nonce()).data));
    this.#clients.set(actor.address, client);
    return client;
  }

  /** Signs out all accounts. */
  async leave(): Promise<void> {
    for (const client of this.#clients.values()) await client.auth.signOut();
    this.#clients.clear();
  }

  /** `fetch` that waits and retries after a 429, until the total waiting time is used up. */
  readonly #fetch: typeof fetch = async (input, init) => {
    for (;;) {
      const response = await fetch(input, init);
      if (response.status !== 429) return response;
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      if (seconds > this.#remainingSeconds) return response;
      this.#remainingSeconds -= seconds;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  };
}
