import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { type LongRunningCli, startCli } from '../support/long-running-cli.ts';
import { runHere } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** The whole system, as `npm start` runs it, with `tributary listen` next to it. */
describe('tributary trigger', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let start: ChildProcess;
  let receiver: WebhookReceiver;
  let listening: LongRunningCli;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-trigger-'));
    await chmod(dataDir, 0o755);
    env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
    start = spawn(process.execPath, ['scripts/tributary.mjs', 'start'], {
      cwd: projectRoot,
      env: { ...inheritedEnv(), ...env },
    });
    let stdout = '';
    start.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    await waitFor(() => stdout.includes('Tributary is running'), {
      what: 'the screen',
      timeout: 240_000,
    });
    receiver = await WebhookReceiver.open();
    const { url, secret } = receiver;
    listening = startCli(['listen', '--forward-to', url, '--secret', secret, '--json'], env);
    await waitFor(() => listening.lines().some(({ kind }) => kind === 'open'), {
      what: 'the stream to be open',
    });
  }, 300_000);

  afterAll(async () => {
    await listening?.stop();
    await receiver?.close();
    const closed = once(start, 'close');
    start.kill('SIGINT');
    await closed;
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  const trigger = (...args: string[]) => runHere(['trigger', ...args], env);

  it('causes each event by a real transaction, which reaches the receiver with the printed id', async () => {
    const types = (await trigger()).stdout.trim().split('\n');
    expect(types.length).toBeGreaterThanOrEqual(10);
    // A claim needs a reward, and a campaign is resumed after it was paused.
    const order = ['reward.claimable', ...types.filter((type) => type !== 'reward.claimable')];
    for (const type of order) {
      const { code, stdout, stderr } = await trigger(type, '--json');
      expect({ type, code, stderr }).toEqual({ type, code: 0, stderr: '' });
      const { eventId, subjectId, links, transactions } = JSON.parse(stdout);
      expect(transactions.length).toBeGreaterThan(0);
      expect((await fetch(links.self)).status).toBe(200);
      if (type === 'dispute.opened') {
        expect(subjectId).toMatch(/.+/);
        continue;
      }
      const received = await waitFor(() => receiver.received.find(({ id }) => id === eventId), {
        what: `${type} at the receiver`,
      });
      expect(received.message).toMatchObject({
        type,
        data: { chain: { transactionHash: transactions.at(-1).hash } },
      });
    }
    expect(receiver.malformed).toEqual([]);
    const audit = await runHere(['audit'], env);
    expect(audit.code).toBe(0);
  }, 240_000);

  it('uses the named campaign, of any trust mode, or says why it does not fit', async () => {
    for (const campaignId of ['5', '8']) {
      const { stdout } = await trigger('sale.refunded', '--campaign', campaignId, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ type: 'sale.refunded', campaignId });
    }
    const ended = await trigger('sale.recorded', '--campaign', '2');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('Campaign 2 does not fit: it must be active');
    const unknown = await trigger('node.joined', '--campaign', '999');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('999');
  }, 120_000);

  it('lists what it can cause if it cannot cause an event', async () => {
    const { code, stderr } = await trigger('report.ready');
    expect(code).toBe(2);
    expect(stderr).toContain('"report.ready" cannot be caused. These can: campaign.funded,');
  });
});
