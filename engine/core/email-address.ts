/** The form in which an e-mail address is stored and compared: lower case. */
export function normalizedAddress(address: string): string {
  return address.toLowerCase();
}

/**
 * The mailbox that an address probably leads to, for limits only. Many providers ignore dots and everything after
 * a `+` before the `@`, so that one mailbox has any number of addresses.
 */
export function mailboxOf(address: string): string {
  const normalized = normalizedAddress(address);
  const at = normalized.lastIndexOf('@');
  const [name = ''] = normalized.slice(0, at).split('+');
  return `${name.replaceAll('.', '')}${normalized.slice(at)}`;
}
