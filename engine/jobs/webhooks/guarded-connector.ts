import { lookup as lookupAddresses } from 'node:dns/promises';
import { connect, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules } from '../../net/address-rules.ts';
import { SendFailure } from './send-failure.ts';

/** Looks up all addresses of a DNS name. */
export type Lookup = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const NOT_PUBLIC = 'The address of the host is not public.';

/**
 * Makes a function that opens connections for undici to allowed addresses only. It checks an address that
 * is in the URL (for which no lookup is made), then every address of a DNS name, then the address that the
 * socket is connected to. Nothing is sent before the last check, not even a TLS greeting.
 * @param options.connectMs milliseconds for lookup and TCP together, and again for TLS.
 */
export function guardedConnector(options: {
  readonly rules: AddressRules;
  readonly lookup?: Lookup | undefined;
  readonly ca?: string | undefined;
  readonly connectMs: number;
}): buildConnector.connector {
  const { rules, ca, connectMs } = options;
  const lookup = guardedLookup(rules, options.lookup ?? systemLookup);
  const startTls = buildConnector({
    timeout: connectMs,
    allowH2: false,
    ...(ca === undefined ? {} : { ca }),
  });
  return (target, callback) => {
    const { hostname, protocol } = target;
    if (isIP(hostname) !== 0 && !rules.allows(hostname)) {
      callback(new SendFailure(NOT_PUBLIC), null);
      return;
    }
    const isSecure = protocol === 'https:';
    const port = Number(target.port || (isSecure ? 443 : 80));
    const socket = connect({ host: hostname, port, lookup, autoSelectFamily: true, noDelay: true });
    const timer = setTimeout(() => {
      socket.destroy(new SendFailure('The host did not accept a connection in time.'));
    }, connectMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      callback(error, null);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      if (!rules.allows(socket.remoteAddress)) {
        socket.destroy(new SendFailure(NOT_PUBLIC));
        return;
      }
      socket.off('error', fail);
      if (!isSecure) {
        callback(null, socket);
        return;
      }
      // The TLS socket reports the errors of this one.
      socket.on('error', () => {});
      startTls({ ...target, httpSocket: socket }, callback);
    });
  };
}

/** Refuses a DNS name if any of its addresses is not allowed: the attacker may choose the order. */
function guardedLookup(rules: AddressRules, lookup: Lookup): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const allowed =
          addresses.length > 0 && addresses.every(({ address }) => rules.allows(address));
        if (allowed) callback(null, [...addresses]);
        else callback(new SendFailure(NOT_PUBLIC), []);
      },
      (error) => callback(error, []),
    );
  };
}

const systemLookup: Lookup = (hostname) => lookupAddresses(hostname, { all: true });
