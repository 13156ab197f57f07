import { type AddressOptions, AddressRules, isLoopbackHost } from './address-rules.ts';

/** Largest number of characters of a webhook's URL. */
export const MAX_WEBHOOK_URL_CHARACTERS = 2_048;

/**
 * Says why a URL cannot receive webhooks (docs/webhooks.md#what-a-delivery-may-not-do). Addresses of a DNS
 * name are checked with each connection and not here: they may change.
 * @returns a clause that begins with "must", for a sentence about the URL; `undefined` if there is no issue.
 */
export function webhookUrlIssue(text: string, options: AddressOptions): string | undefined {
  if (text.length > MAX_WEBHOOK_URL_CHARACTERS) {
    return `must have at most ${MAX_WEBHOOK_URL_CHARACTERS} characters`;
  }
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return 'must be an absolute URL without spaces';
  }
  const url = new URL(text);
  // Brackets of an IPv6 address, and the dot after the root of the domain names.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const isSecure = url.protocol === 'https:';
  const isLocal = options.allowLoopback && isLoopbackHost(host);
  if (!isSecure && !(isLocal && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a name or password';
  if (text.includes('#')) return 'must not contain a fragment (#)';
  const port = Number(url.port || (isSecure ? 443 : 80));
  if (port !== 443 && port !== 80 && port < 1_024) return 'must have port 443, 80 or above 1023';
  if (!new AddressRules(options).allowsHost(host)) return 'must name a host with a public address';
  return undefined;
}
