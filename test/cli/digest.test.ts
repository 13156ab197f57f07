import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { type ApiServer, serveApi } from '../../engine/http/serve.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { randomHistory } from '../support/history.ts';
import { runHere } from '../support/run-cli.ts';

const facts = randomHistory({ seed: 6, steps: 200, campaigns: 4 });

/** Two deployments over the same chain, of which the second read one sale wrongly. */
describe('tributary digest', () => {
  const missing = facts.at(-20)?.blockNumber ?? 0;
  const sale = facts.filter((fact) => fact.name === 'SaleRecorded').at(25);
  const fixtures: ApiFixture[] = [];
  const servers: ApiServer[] = [];

  beforeAll(async () => {
    if (sale?.name !== 'SaleRecorded') throw new Error('the history has that sale');
    const wrong = { ...sale, args: { ...sale.args, amount: sale.args.amount + 1n } };
    await serve(facts);
    await serve(facts.map((fact) => (fact === sale ? wrong : fact)));
    // Behind, and otherwise the same: whole blocks are settled.
    await serve(facts.filter(({ blockNumber }) => blockNumber < missing));
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    for (const fixture of fixtures) await fixture.close();
  });

  async function serve(own: readonly Fact[]): Promise<void> {
    const fixture = await ApiFixture.open();
    fixtures.push(fixture);
    await fixture.settle(own);
    servers.push(await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' }));
  }

  const urls = () => servers.map(({ url }) => url) as [string, string, string];

  it('prints the root and the campaigns’ digests of a block', async () => {
    const [url] = urls();
    const block = String(sale?.blockNumber ?? 0);
    const { code, stdout } = await runHere(['digest', '--url', url, '--block', block, '--json']);
    const { data } = (await (await fetch(`${url}/v1/system/digest?block=${block}`)).json()) as {
      data: { root: string; items: unknown[] };
    };
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      block: Number(block),
      root: data.root,
      leftOut: [],
      campaigns: data.items,
    });
    const printed = await runHere(['digest', '--url', url, '--block', block]);
    expect(printed.stdout).toContain(data.root);
  });

  it('finds the first block, campaign and event that differ, and exits 1', async () => {
    const [one, other] = urls();
    const { code, stdout } = await runHere(['digest', 'compare', one, other, '--json']);
    expect(code).toBe(1);
    const { block, difference } = JSON.parse(stdout);
    expect(block).toBe(facts.at(-1)?.blockNumber);
    expect(difference.block).toBe(sale?.blockNumber);
    expect(difference.campaigns.map((one: { campaignId: string }) => one.campaignId)).toEqual([
      sale?.campaignId,
    ]);
    const own = facts.filter(({ campaignId }) => campaignId === sale?.campaignId);
    expect(difference.event.sequence).toBe(1 + own.findIndex(({ id }) => id === sale?.id));
    expect(difference.event.sides[0].eventId).toBe(sale?.id);
    expect(difference.event.sides[0].event).not.toBe(difference.event.sides[1].event);
    const printed = await runHere(['digest', 'compare', one, other]);
    expect(printed.stdout).toContain(`The first difference is at block ${sale?.blockNumber}.`);
  });

  it('exits 0 if both ledgers are equal up to the block that both have settled', async () => {
    const [one, , behind] = urls();
    const { code, stdout } = await runHere(['digest', 'compare', one, behind, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ difference: null });
    expect(JSON.parse(stdout).block).toBeLessThan(missing);
    expect(code).toBe(0);
  });

  it('refuses to compare different contracts, and exits 3 if one API does not respond', async () => {
    const [one] = urls();
    const fixture = await ApiFixture.open({
      deployment: {
        ...(fixtures[0]?.deps.deployment ?? { startBlock: 0, explorerUrl: null, chainId: 1 }),
        genesisHash: '0x1111111111111111111111111111111111111111111111111111111111111111',
        contractAddress: '0x2222222222222222222222222222222222222222',
      },
    });
    await fixture.settle(facts);
    const server = await serveApi({ ...fixture.deps, port: 0, host: '127.0.0.1' });
    const mixed = await runHere(['digest', 'compare', one, server.url]);
    expect([mixed.code, mixed.stderr]).toEqual([
      1,
      expect.stringContaining('different deployments'),
    ]);
    await server.stop();
    await fixture.close();
    const away = await runHere(['digest', 'compare', one, 'http://127.0.0.1:1']);
    expect(away.code).toBe(3);
  });
});
