import { type AddressOptions, AddressRules, isLoopbackHost } from './address-rules.ts';

/** Largest number of characters of a webhook's URL. */
export const MAX_WEBHOOK_URL_CHARACTERS = 2_048;

/** URLs that may receive webhooks. */
export interface WebhookUrlOptions extends AddressOptions {
  /** URL of this service, to which no webhook is sent; default none. */
  readonly ownUrl?: string | undefined;
}

/**
 * Says why a URL cannot receive webhooks (docs/use/webhooks.md#what-a-delivery-may-not-do). Addresses of a DNS
 * name are checked with each connection and not here: they may change.
 * @returns a clause that begins with "must", for a sentence about the URL; `undefined` if there is no issue.
 */
export function webhookUrlIssue(text: string, options: WebhookUrlOptions): string | undefined {
  if (text.length > MAX_WEBHOOK_URL_CHARACTERS) {
    return `must have at most ${MAX_WEBHOOK_URL_CHARACTERS} characters`;
  }
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return 'must be an absolute URL without spaces';
  }
  const url = new URL(text);
  const host = hostOf(url);
  const isSecure = url.protocol === 'https:';
  const isLocal = options.allowLoopback && isLoopbackHost(host);
  if (!isSecure && !(isLocal && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a name or password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  const port = portOf(url);
  if (port !== 443 && port !== 80 && port < 1_024) return 'must have port 443, 80 or above 1023';
  if (!new AddressRules(options).allowsHost(host)) return 'must name a host with a public address';
  if (options.ownUrl !== undefined && isOwn(url, new URL(options.ownUrl))) {
    return 'must not name this service';
  }
  return undefined;
}

/** Host of a URL, without the brackets of an IPv6 address and the dot after the root of the domain names. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** True if a URL has the host of this service. Loopback hosts are one machine, so that the port decides. */
function isOwn(url: URL, own: URL): boolean {
  if (isLoopbackHost(hostOf(url)) && isLoopbackHost(hostOf(own)))
    return portOf(url) === portOf(own);
  return hostOf(url) === hostOf(own);
}
