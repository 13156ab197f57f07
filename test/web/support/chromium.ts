import { existsSync } from 'node:fs';

/** Where distributions put it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The installed Chromium; `undefined` if it is missing. */
export function findChromium(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}
