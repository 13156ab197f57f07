import { privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { type Client, createClient } from '../../../client/index.ts';
import type { Actor } from '../cast.ts';

/** Where people of the sample sign in. */
export interface Site {
  readonly apiUrl: string;
  /** What their messages name: an origin that the API allows. */
  readonly origin: string;
}

/** How long all of them together wait where the API says that they come too soon. */
const PATIENCE_SECONDS = 90;

/** The sample's people at the API: each signs in once, when it first has something to do. */
export class Accounts {
  readonly #site: Site;
  readonly #clients = new Map<string, Client>();
  #patienceSeconds = PATIENCE_SECONDS;

  constructor(site: Site) {
    this.#site = site;
  }

  /** A client that is signed in as them, and signs again where the API wants it fresh. */
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

  /** Ends all their sessions: nothing of them stays. */
  async leave(): Promise<void> {
    for (const client of this.#clients.values()) await client.auth.signOut();
    this.#clients.clear();
  }

  /** `fetch`, which waits where it is told that it came too soon, while there is patience left. */
  readonly #fetch: typeof fetch = async (input, init) => {
    for (;;) {
      const response = await fetch(input, init);
      if (response.status !== 429) return response;
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      if (seconds > this.#patienceSeconds) return response;
      this.#patienceSeconds -= seconds;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  };
}
