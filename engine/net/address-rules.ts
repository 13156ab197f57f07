import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that requests to URLs of users may reach, in addition to public ones. */
export interface AddressOptions {
  /** Ranges that the operator opens, such as `10.1.0.0/16`. */
  readonly allowCidrs: readonly string[];
  /** True if loopback addresses are allowed: on a local chain only. */
  readonly allowLoopback: boolean;
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Documentation addresses of RFC 9637, which ipaddr.js counts as public. */
const documentation = ipaddr.parseCIDR('3fff::/20');
/** Range from which public IPv6 addresses are assigned; others may be translated to private ones. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * Decides which addresses a request to a URL of a user may reach: public ones, and those that the operator
 * opened. An IPv4 address that is written as IPv6 (`::ffff:127.0.0.1`) counts as the IPv4 address.
 */
export class AddressRules {
  readonly #ranges: readonly Range[];
  readonly #allowLoopback: boolean;

  /** @throws {TypeError} if a range is malformed. */
  constructor({ allowCidrs, allowLoopback }: AddressOptions) {
    this.#ranges = allowCidrs.map(parseRange);
    this.#allowLoopback = allowLoopback;
  }

  /** True if a request may go to this IP address. Any other text is refused. */
  allows(address: string | undefined): boolean {
    const parsed = parse(address);
    if (parsed === undefined) return false;
    if (this.#ranges.some((range) => isWithin(parsed, range))) return true;
    if (parsed.range() === 'loopback') return this.#allowLoopback;
    return isPublic(parsed);
  }

  /**
   * True if a request may go to the host of a URL, as far as the name shows: the addresses of a DNS name
   * must be checked when it is looked up.
   */
  allowsHost(host: string): boolean {
    if (isLocalhost(host)) return this.allows('127.0.0.1');
    return isIP(host) === 0 || this.allows(host);
  }
}

/** True if a host, without brackets, is `localhost` or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  return isLocalhost(host) || parse(host)?.range() === 'loopback';
}

function isLocalhost(host: string): boolean {
  return /(^|\.)localhost$/i.test(host);
}

function parse(address: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return address === undefined || isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return true;
  return isWithin(address, globalUnicast) && !isWithin(address, documentation);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

function parseRange(text: string): Range {
  if (!ipaddr.isValidCIDR(text)) {
    throw new TypeError(`"${text}" is no range of addresses: write it like 10.1.0.0/16.`);
  }
  return ipaddr.parseCIDR(text);
}
