import { createPublicClient, http } from 'viem';
import { describe, expect, it } from 'vitest';
import { makeLogger } from './logger.ts';

/** The lines that a log of these calls has. */
async function logged(write: (log: ReturnType<typeof makeLogger>) => unknown): Promise<string> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  await write(makeLogger({ level: 'trace', base: { process: 'test' } }, destination));
  return lines.join('');
}

describe('makeLogger', () => {
  it('removes cookies, tokens and signatures at every level', async () => {
    const text = await logged((log) => {
      const headers = { cookie: 'c-secret', 'x-csrf-token': 'x-secret', authorization: 'a-secret' };
      log.info({ headers, req: { headers } });
      log.warn({ token: 't-secret', body: { signature: 's-secret' }, csrfToken: 'k-secret' });
      log.warn({ 'set-cookie': 'sc-secret', setCookie: 'sc2-secret', path: '/v1/campaigns' });
    });
    expect(text).not.toContain('secret"');
    expect(text.match(/\[redacted\]/g)).toHaveLength(11);
    expect(text).toContain('/v1/campaigns');
  });

  it('logs an error without keys of URLs, signatures and cookies', async () => {
    const signature = `0x${'ab'.repeat(65)}`;
    const cause = new Error('postgres://user:hunter2@db.example/app is away');
    const error = new Error(
      `https://rpc.example/v2/api-key?x=1 refused ${signature} of __Host-tributary-session=hunter3`,
      { cause },
    );
    const text = await logged((log) => log.error({ err: error }, 'request failed'));
    expect(text).not.toMatch(/hunter|api-key|abababab/);
    expect(text).toContain('https://rpc.example refused 0x[redacted]');
    expect(text).toContain('postgres://db.example is away');
    expect(text).toContain('logger.test.ts');
  });

  it('logs a failed RPC request without its URL and parameters', async () => {
    const client = createPublicClient({
      transport: http('http://127.0.0.1:1/secret-key', { retryCount: 0 }),
    });
    const text = await logged(async (log) => {
      await client.getBlockNumber().catch((err: unknown) => log.error({ err }, 'failed'));
    });
    expect(text).toContain('HttpRequestError');
    expect(text).not.toContain('secret-key');
  });

  it('writes texts of strangers so that they neither act on a terminal nor begin a line', async () => {
    const hostile = '\u001b[2J\u009b2J\u202eUSDC\n{"level":30,"msg":"all is well"}\u2028';
    const text = await logged((log) => {
      const err = new Error(`execution reverted: ${hostile}`);
      log.warn({ err, symbol: hostile, deep: { [hostile]: [hostile] } }, hostile);
    });
    expect(text).toMatch(/^[ -~]*\n$/);
    expect(JSON.parse(text)).toMatchObject({
      msg: hostile,
      symbol: hostile,
      deep: { [hostile]: [hostile] },
      err: { message: `execution reverted: ${hostile}` },
    });
  });

  it('shortens the texts of a line that is too long', async () => {
    const huge = '\u202ex'.repeat(1_000_000);
    const text = await logged((log) => log.warn({ err: new Error(huge), campaignId: '7' }, huge));
    expect(text.length).toBeLessThan(40_000);
    expect(JSON.parse(text)).toMatchObject({
      process: 'test',
      campaignId: '7',
      msg: expect.stringMatching(/^\\u\{202e\}x.*…$/),
      err: { type: 'Error', message: expect.stringMatching(/…$/) },
    });
  });
});
