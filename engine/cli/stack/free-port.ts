import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/**
 * The ports that are tried. No system gives them to outgoing connections (Linux takes 32768 to 60999
 * for those, macOS and Windows 49152 to 65535), so a server that ends finds its port free when it
 * restarts.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** Number of ports that are tried; after them, get-port takes any free one. */
const MAX_TRIES = 50;

/** Finds a free TCP port for a server of this machine. */
export async function freePort(): Promise<number> {
  return await getPort({
    port: Array.from({ length: MAX_TRIES }, () => randomInt(FIRST_PORT, LAST_PORT + 1)),
  });
}
