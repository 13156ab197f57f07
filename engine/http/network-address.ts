import { isIP, isIPv6 } from 'node:net';
import type { Context } from 'hono';

/**
 * IP address that a request came from; `unknown` if it has no socket.
 * @param trustedProxies number of our own proxies that each request passes. Each proxy appends the
 *   address that it saw to `X-Forwarded-For`, so the entry at that distance from the right is trusted.
 *   With 0, or a shorter header, only the address of the connection is trusted.
 */
export function networkAddress(c: Context, trustedProxies: number): string {
  const connected = connectedAddress(c.env) ?? 'unknown';
  if (trustedProxies === 0) return connected;
  const hops = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  const reported = withoutPort(hops.at(-trustedProxies) ?? '');
  return isIP(reported) !== 0 ? reported : connected;
}

/** An address of `X-Forwarded-For`, which some proxies write with a port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function withoutPort(hop: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([0-9.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** Address of the connection; `undefined` if there is no request of a Node server. */
function connectedAddress(env: unknown): string | undefined {
  const address = fieldOf(fieldOf(fieldOf(env, 'incoming'), 'socket'), 'remoteAddress');
  return typeof address === 'string' ? address : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Network that limits count as one client: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(ip: string): string {
  const mapped = unmapped(ip);
  return isIPv6(mapped) ? prefixOf(mapped, 4) : mapped;
}

/** First 48 bits of an IPv6 address, which one customer may have; `undefined` for any other text. */
export function wideNetworkOf(ip: string): string | undefined {
  const mapped = unmapped(ip);
  return isIPv6(mapped) ? `${prefixOf(mapped, 3)}/48` : undefined;
}

function unmapped(ip: string): string {
  return /^::ffff:([0-9.]+)$/i.exec(ip)?.[1] ?? ip;
}

/** The first groups of 16 bits of an IPv6 address. */
function prefixOf(mapped: string, count: number): string {
  const [head = '', tail] = (mapped.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array.from({ length: gap }, () => '0'), ...after];
  return all
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
