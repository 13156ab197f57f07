import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../engine/contract/envelope.ts';
import { MAX_FORM_BYTES } from '../../engine/http/files/read-form.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { account } from '../support/history.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { gif, jpeg, named, png } from './support/images.ts';
import { type SignedIn, signedIn } from './support/session.ts';

const BOUNDARY = 'xxBOUNDARYxx';
const PRODUCT = 'uploaded-to';
const PATH = `/v1/merchant/products/${PRODUCT}/assets`;

describe('uploads', () => {
  let fixture: ApiFixture;
  let me: SignedIn;
  let folder: string;
  let disk: Disk;
  const servers: ApiServer[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-uploads-'));
    disk = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
    fixture = await ApiFixture.open({ files: disk });
    const history = new HistoryBuilder();
    history.create('1');
    await fixture.settle(history.facts);
    const client = await fixture.clientAs(account(1));
    await client.merchants.setup({ slug: 'uploader', name: 'U' });
    const draft = { version: 0, status: 'draft', title: 'T', summary: '' } as const;
    const product = { ...draft, category: 'x', fulfillmentMode: 'manual' } as const;
    await client.products.save({ id: PRODUCT, product });
    me = await signedIn(fixture.deps, account(1));
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends a form to the app, without a server. */
  async function send(
    body: NonNullable<RequestInit['body']>,
    changes: Parameters<ApiFixture['app']>[0] = {},
  ) {
    const headers = {
      ...me.writing,
      ...(body instanceof FormData
        ? {}
        : { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }),
    };
    const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
    return await fixture.app(changes).request(PATH, init);
  }
  async function upload(file: Blob, changes: Parameters<ApiFixture['app']>[0] = {}) {
    const form = new FormData();
    form.append('file', file);
    return await send(form, changes);
  }
  const codeOf = async (response: Response) => ErrorBody.parse(await response.json()).error.code;
  const rows = async () => (await fixture.pool`select 1 from commerce.asset`).length;
  const stored = async () => (await readdir(join(folder, 'media')).catch(() => [])).length;

  it('reads no more than the first parts of a form that has 200,000', async () => {
    const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n`;
    const chunk = new TextEncoder().encode(part.repeat(1_000));
    let read = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          read += 1;
          if (read > 120) controller.close();
          else controller.enqueue(chunk);
        },
      },
      { highWaterMark: 0 },
    );
    const response = await send(body);
    expect([response.status, await codeOf(response)]).toEqual([400, 'VALIDATION_FAILED']);
    expect(read).toBeLessThan(5);
  });

  it('refuses a form by its length before it reads a byte of it', async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          read += 1;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = {
      ...me.writing,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(MAX_FORM_BYTES + 1),
    };
    const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
    const response = await fixture.app().request(PATH, init);
    expect([response.status, await codeOf(response)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(read).toBe(0);
  });

  it('refuses a part with too long headers, and a form that ends too early', async () => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n`;
    const long = `${head}X-Long: ${'a'.repeat(100_000)}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`;
    const many = `${head}${'X-Many: a\r\n'.repeat(5_000)}\r\nx\r\n--${BOUNDARY}--\r\n`;
    for (const body of [long, many]) expect([400, 422, 200]).toContain((await send(body)).status);
    const early = await send(`${head}\r\nthe file, and then nothing`);
    expect([early.status, await codeOf(early)]).toEqual([400, 'VALIDATION_FAILED']);
  });

  it('accepts three concurrent uploads from one account, and frees their slots afterwards', async () => {
    const server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
    servers.push(server);
    const endings: (() => void)[] = [];
    /** An upload whose file does not end yet; again if a quick one had the last slot at that moment. */
    const slow = async (): Promise<Response> => {
      const response = await slowOnce();
      return response.status === 429 ? await slow() : response;
    };
    const slowOnce = async () => {
      let isOpen = true;
      const encoder = new TextEncoder();
      const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(`${head}some bytes`));
          endings.push(() => {
            if (!isOpen) return;
            controller.enqueue(encoder.encode(`\r\n--${BOUNDARY}--\r\n`));
            controller.close();
          });
        },
        cancel: () => {
          isOpen = false;
        },
      });
      const headers = {
        ...me.writing,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      };
      const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
      return await fetch(`${server.url}${PATH}`, init);
    };
    const quick = async () => {
      const form = new FormData();
      form.append('file', new Blob(['quick']));
      const init = { method: 'POST', headers: me.writing, body: form };
      const response = await fetch(`${server.url}${PATH}`, init);
      await response.arrayBuffer();
      return response;
    };
    const slows = [slow(), slow(), slow()];
    const refused = await waitFor(
      async () => {
        const response = await quick();
        return response.status === 429 && response;
      },
      { what: 'an upload that is refused' },
    );
    expect(refused.headers.get('retry-after')).toBe('2');
    for (const end of endings) end();
    const answers = await Promise.all(slows);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await quick()).status).toBe(200);
  });

  it('answers 507 if the disk is full, and leaves no part of the file', async () => {
    const before = [await rows(), await stored()];
    const full = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
    // Half of the file is on the disk when the rest does not fit.
    full.put = async (key, contents) => {
      await disk.put(key, contents.slice(0, 10));
      const cause = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      throw new Error(`Cannot write file at location "${key}"`, { cause });
    };
    const response = await upload(new Blob(['x'.repeat(1_000)]), { files: full });
    expect([response.status, await codeOf(response)]).toEqual([507, 'STORAGE_FULL']);
    expect([await rows(), await stored()]).toEqual(before);
  });

  it('answers 503 if the storage fails, and leaves no part of the file', async () => {
    const before = [await rows(), await stored()];
    const broken = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
    broken.put = async (key, contents) => {
      await disk.put(key, contents.slice(0, 10));
      throw new Error(`Cannot write file at location "${key}"`);
    };
    const response = await upload(new Blob(['x'.repeat(1_000)]), { files: broken });
    expect([response.status, await codeOf(response)]).toEqual([503, 'NOT_READY']);
    expect(response.headers.get('retry-after')).toBe('2');
    expect([await rows(), await stored()]).toEqual(before);
  });

  it('stores nothing after it has answered that it took too long', async () => {
    const before = [await rows(), await stored()];
    let finish = () => {};
    const slow = new Disk(new FSDriver({ location: folder, visibility: 'private' }));
    const put = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let written = false;
    slow.put = async (key, contents) => {
      await put;
      await disk.put(key, contents);
      written = true;
    };
    let deleted = false;
    slow.delete = async (key) => {
      await disk.delete(key);
      deleted = true;
    };
    const response = await upload(new Blob(['late']), { files: slow, requestMs: 2_000 });
    expect(response.status).toBe(503);
    finish();
    await waitFor(() => written && deleted, { what: 'the end of the storing' });
    expect([await rows(), await stored()]).toEqual(before);
  });

  it('accepts images of at most 8,192 pixels a side and 16 million in total', async () => {
    expect((await upload(png(4_000, 4_000))).status).toBe(200);
    expect((await upload(png(8_192, 1))).status).toBe(200);
    for (const image of [png(8_193, 1), png(4_001, 4_000), png(6_300, 6_300), gif(8_193, 2)]) {
      const response = await upload(image);
      expect([response.status, await codeOf(response)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect((await upload(jpeg(100, 50))).status).toBe(200);
  });

  it('refuses what only begins like a picture, and stores nothing that follows the end of one', async () => {
    const junk = Buffer.alloc(4_000, '<script>alert(1)</script>');
    const whole = Buffer.from(await gif(2, 2).arrayBuffer());
    const broken = [
      Buffer.concat([Buffer.from('GIF89a'), junk]),
      whole.subarray(0, -1),
      Buffer.concat([whole.subarray(0, -1), junk]),
      Buffer.from(await png(8, 8).arrayBuffer()).subarray(0, -4),
    ];
    for (const bytes of broken) {
      const response = await upload(new Blob([new Uint8Array(bytes)]));
      expect([response.status, await codeOf(response)]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    const longer = Buffer.concat([whole, junk]);
    expect((await upload(new Blob([new Uint8Array(longer)]))).status).toBe(200);
    const sizes = await fixture.pool`select size::int from commerce.asset`;
    expect(sizes.map(({ size }) => size)).toContain(whole.length);
    expect(sizes.map(({ size }) => size)).not.toContain(longer.length);
  });

  it('refuses markup that begins like an image, like sound, or with zero bytes', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script/></svg>';
    const utf16 = Buffer.from(`\ufeff${svg}`, 'utf16le');
    const bigEndian = Buffer.from(utf16).swap16();
    const disguised: (string | Buffer)[] = [
      `GIF${svg}`,
      `GIF89a${svg}`,
      utf16,
      bigEndian,
      `\0\0<html><script>alert(1)</script>`,
    ];
    for (const content of disguised) {
      const bytes = new Uint8Array(Buffer.from(content));
      const response = await upload(named(new Blob([bytes]), 'x.gif', 'image/gif'));
      const text = String(content).slice(0, 12);
      expect([response.status, text]).toEqual([415, text]);
    }
  });
});
