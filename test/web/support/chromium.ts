import { existsSync } from 'node:fs';

/** Where distributions put it. The first is the same engine without windows, in two thirds of the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The installed Chromium; `undefined` if it is missing. */
export function findChromium(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}
