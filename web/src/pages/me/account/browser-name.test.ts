import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

it('names a browser and its system, and leaves the names of programs as they are', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  expect(
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/126.0.0.0 Safari/537.36 Edg/126.0`,
      `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/126.0.0.0 Safari/537.36`,
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile Safari/604.1',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5; rv:127.0) Gecko/20100101 Firefox/127.0',
      'shop-backend/1.2',
    ].map(browserName),
  ).toEqual([
    'Edge on Windows',
    'Chrome on Linux',
    'Safari on iPhone',
    'Firefox on macOS',
    'shop-backend/1.2',
  ]);
});
