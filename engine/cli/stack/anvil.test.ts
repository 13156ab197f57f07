import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import {
  buy,
  createCampaign,
  fund,
  giveTokens,
  join as joinUnder,
} from '../../../test/support/actions.ts';
import {
  accountAt,
  deployToken,
  startTestChain,
  type TestChain,
  testClient,
} from '../../../test/support/chain.ts';
import { factsOfChain } from '../../../test/support/facts.ts';
import { startAnvil } from './anvil.ts';

test('restores blocks, logs, old state and the clock at each further start', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
  const statePath = join(dir, 'chain', 'state.json');
  const genesisTimestamp = 1_700_000_000;
  const chain = await startTestChain({ statePath, genesisTimestamp });
  const [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
  const token = await deployToken(chain);
  const id = await createCampaign(chain, merchant, token);
  await fund(chain, { id, token }, merchant, 10n ** 12n);
  await giveTokens(chain, token, buyer, 10n ** 12n);
  const nodeId = await joinUnder(chain, id, merchant);
  await chain.client.increaseTime({ seconds: 100_000 });
  await buy(chain, id, buyer, { nodeId });
  const before = await history(chain, id);
  await chain.anvil.stop();

  // Anvil writes the genesis block of each start: only a third one could find several to choose from.
  for (const [start, expected] of [before, undefined, undefined].entries()) {
    const logFile = `${chain.dir}/again-${start}.log`;
    const anvil = await startAnvil({ statePath, genesisTimestamp, logFile });
    const again: TestChain = { ...chain, anvil, client: testClient(anvil.url) };
    if (expected !== undefined) expect(await history(again, id)).toEqual(expected);
    const last = await again.client.getBlock();
    const sale = await buy(again, id, buyer, { nodeId });
    expect(sale.saleId).toBe(BigInt(start + 2));
    const head = await again.client.getBlock();
    expect(head.parentHash).toBe(last.hash);
    expect(head.timestamp).toBeGreaterThanOrEqual(last.timestamp);
    expect(await again.client.getBlock({ blockNumber: 0n })).toEqual(before.genesis);
    await anvil.stop();
  }
  await chain.stop();
  await rm(dir, { recursive: true });
});

test('rejects a stored chain without the timestamp of its genesis block', async () => {
  const starting = startAnvil({ statePath: '/nowhere/state.json', logFile: '/dev/null' });
  await expect(starting).rejects.toThrow('needs the timestamp of its genesis block');
});

test('rejects a port that another anvil of the same chain id uses', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
  const other = await startAnvil({ logFile: join(dir, 'other.log') });
  const starting = startAnvil({ port: other.port, logFile: join(dir, 'anvil.log') });
  await expect(starting).rejects.toThrow(`anvil ended immediately (port ${other.port})`);
  await other.stop();
  await rm(dir, { recursive: true });
});

test('rejects with the number of a port that is in use', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  if (port === undefined) throw new Error('The server has no port.');
  const dir = await mkdtemp(join(tmpdir(), 'tributary-anvil-'));
  const starting = startAnvil({ port, logFile: join(dir, 'anvil.log') });
  await expect(starting).rejects.toThrow(`anvil ended immediately (port ${port})`);
  server.close();
  await rm(dir, { recursive: true });
});

/** All that must outlive a restart. */
async function history(chain: TestChain, campaignId: bigint) {
  const { client, contract } = chain;
  const head = await client.getBlock({ includeTransactions: true });
  const call = {
    address: contract,
    abi: referralCommerceAbi,
    functionName: 'campaignLedger',
    args: [campaignId],
  } as const;
  const [hash] = head.transactions.map((transaction) => transaction.hash);
  if (!hash) throw new Error('The head holds no transaction.');
  return {
    head,
    genesis: await client.getBlock({ blockNumber: 0n }),
    facts: await factsOfChain(chain),
    receipt: await client.getTransactionReceipt({ hash }),
    ledgerNow: await client.readContract(call),
    ledgerThen: await client.readContract({ ...call, blockNumber: head.number - 1n }),
  };
}
