import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { StoredText } from './stored-text.ts';

const data = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ i, name: `é☃ ${i}` })));
const stored = new StoredText(`{"data":${data},"meta":`, data);
const app = new Hono();
let end = '';
app.get('/', (c) => stored.respond(c, end));

async function get(headers: Record<string, string>) {
  const response = await app.request('/', { headers });
  const body = Buffer.from(await response.arrayBuffer());
  return { response, body };
}

describe('a stored text', () => {
  it.each(['gzip', 'br, gzip;q=0.5', '*', 'GZIP'])(
    'arrives compressed, with another end each time, for %s',
    async (accepted) => {
      for (end of ['"a"}', '{"requestId":"ü"}}', '']) {
        const { response, body } = await get({ 'accept-encoding': accepted });
        expect(response.headers.get('content-encoding')).toBe('gzip');
        expect(gunzipSync(body).toString()).toBe(`{"data":${data},"meta":${end}`);
        expect(body.length).toBeLessThan(data.length / 4);
      }
    },
  );

  it.each(['', 'identity', 'gzip;q=0', 'br', '*;q=0'])(
    'arrives as it is for %j',
    async (accepted) => {
      end = '1}';
      const { response, body } = await get({ 'accept-encoding': accepted });
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(body.toString()).toBe(`{"data":${data},"meta":1}`);
    },
  );

  it('answers 304 to a client that has it, with any end', async () => {
    end = '1}';
    const { response } = await get({});
    const etag = response.headers.get('etag') ?? '';
    end = '2}';
    const again = await get({ 'if-none-match': etag, 'accept-encoding': 'gzip' });
    expect(again.response.status).toBe(304);
    expect(again.body).toHaveLength(0);
    expect(again.response.headers.get('vary')).toBe('accept-encoding');
  });
});
