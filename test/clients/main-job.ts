import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesToHex, keccak256, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import type { Ability } from '../../engine/cli/doctor/ability.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import type { Client } from '../../engine/client/index.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { type Bundle, bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { buy, emitted, ownerOf, termsOf } from '../support/actions.ts';
import { chainEnv, mined, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { differencesFromChain } from '../support/folded-again.ts';
import { purchase } from '../support/reorg.ts';
import { runCli, runHere } from '../support/run-cli.ts';
import { bundleOf, fullTrust } from '../verify/bundles.ts';
import { batchingClient } from '../verify/clients.ts';
import {
  pythonIsInstalled,
  startSecondVerifier,
  startSecondVerifierOfSales,
} from '../verify/second/second-verifier.ts';
import {
  grow,
  open,
  playSales,
  startVerifyFixture,
  type VerifyFixture,
} from '../verify/verify-fixture.ts';
import type { ChainClient } from './clients.ts';
import { deposit } from './deposits.ts';
import { MNEMONIC } from './edr.ts';

/** What became of the sales of the fixture. */
const states: Readonly<Record<string, string>> = {
  fullyRefunded: 'refunded',
  finalized: 'finalized',
  refundedAndFinalized: 'finalized',
  claimed: 'finalized',
  attested: 'finalized',
  reversed: 'reversed',
  reversedLater: 'reversed',
};

/** Type of a deposit's receipt, as anvil writes it. */
const DEPOSIT = '0x7E';

/** Options of `describeMainJob`. */
export interface MainJobOptions {
  /** Names of the sales whose bundles are made; default: all. Each costs a processor 0.3 s. */
  readonly bundled?: readonly string[];
  /** True to run `tributary start --check` as well: once for each kind of software, as its parts run before anyway. */
  readonly startsWhole?: boolean;
}

/**
 * What a deployment does on a client's chain: it settles sales of every kind, serves receipts that both verifiers
 * confirm, makes bundles that pass both, and follows a reorg.
 */
export function describeMainJob(
  client: ChainClient,
  { bundled, startsWhole = false }: MainJobOptions = {},
): void {
  describe(client.name, () => {
    let chain: TestChain;
    let scene: VerifyFixture;
    let sales: Record<string, bigint>;
    let deployment: TestDeployment;
    let api: ApiFixture;
    let reader: Client;

    beforeAll(async () => {
      chain = await client.start();
      scene = await startVerifyFixture(chain);
      sales = await playSales(scene);
      deployment = await TestDeployment.open(chain);
      await deployment.startIndexer();
      deployment.startWorker(client.env);
      api = await ApiFixture.over(deployment);
      reader = api.client();
      await deployment.settledToHead();
    }, 180_000);

    afterAll(async () => {
      await api?.close();
      await deployment?.close();
      await chain?.stop();
    }, 60_000);

    const served = async (saleId: bigint) => {
      const { data } = await reader.receipts.get({
        chainId: chain.chainId,
        saleId: saleId.toString(),
      });
      return data;
    };

    it('settles what its logs say and its contract confirms', async () => {
      const found = Object.keys(sales).map(async (name) => [
        name,
        (await served(sales[name] ?? 0n)).state,
      ]);
      const expected = Object.keys(sales).map((name) => [name, states[name] ?? 'pending']);
      expect(await Promise.all(found)).toEqual(expected);
      await expectSound();
    });

    it('serves receipts that both verifiers confirm by its RPC', async () => {
      const receipts = await Promise.all(Object.values(sales).map(served));
      await expectConfirmed(receipts);
      // The contract says so by reverting, which each client words in its own way.
      const unknown = await verifySale({
        client: batchingClient(chain.anvil.url).client,
        contractAddress: chain.contract,
        saleId: '999',
      });
      expect(unknown).toMatchObject({ verdict: 'fail', reason: null });
    });

    it('proves sales by bundles that pass both verifiers', async () => {
      const bundles: Bundle[] = [];
      for (const name of bundled ?? Object.keys(sales)) {
        bundles.push(await bundleOf(scene, sales[name] ?? 0n));
      }
      await expectPassed(bundles);
      if (client.firstReceipt === undefined) return;
      const proofs = bundles.flatMap((bundle) => bundle.proofs);
      for (const number of new Set(proofs.map(({ blockNumber }) => BigInt(blockNumber)))) {
        const { transactions } = await chain.client.getBlock({ blockNumber: number });
        const [hash = '0x'] = transactions;
        const { type } = await chain.client.getTransactionReceipt({ hash });
        expect({ number, type }).toEqual({ number, type: client.firstReceipt });
      }
    }, 120_000);

    it('passes `tributary doctor`, and takes the contract of `tributary deploy`', async () => {
      const rpc = ['--rpc', chain.anvil.url, '--json'];
      const examined = await runHere(['doctor', ...rpc]);
      expect(examined).toMatchObject({ code: 0, stderr: '' });
      const [{ abilities }] = JSON.parse(examined.stdout).rpcs;
      const lacks = abilities.filter(({ status }: Ability) => status !== 'ok');
      expect(lacks.map(({ name }: Ability) => name).sort()).toEqual([...client.lacks].sort());
      const privateKey = mnemonicToAccount(MNEMONIC, { addressIndex: 9 }).getHdKey().privateKey;
      const env = { DEPLOYER_PRIVATE_KEY: bytesToHex(privateKey ?? new Uint8Array()) };
      const deployed = await runHere(['deploy', ...rpc, '--confirmations', '1'], env);
      expect(deployed.code).toBe(0);
      const { contractAddress, startBlock } = JSON.parse(deployed.stdout);
      const found = await runHere(['verify-contract', contractAddress, ...rpc]);
      expect(found).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(found.stdout)).toMatchObject({ chainId: chain.chainId, startBlock });
    }, 60_000);

    it('follows a reorg with its ledger, receipts and bundles', async () => {
      const campaignId = await open(scene, {});
      const nodes = await grow(scene, campaignId, 3);
      const order = (name: string) => ({
        nodeId: nodes.at(-1) ?? 0n,
        orderKey: keccak256(toHex(name)),
      });
      const sell = (name: string) => buy(chain, campaignId, scene.buyer, order(name));
      const snapshot = await chain.client.snapshot();
      const moved = await sell('moved');
      const dropped = await sell('dropped');
      await deployment.settledToHead();
      const before = await bundleOf(scene, moved.saleId);
      expect(await orderKeys()).toEqual(expect.arrayContaining([moved.orderKey, dropped.orderKey]));

      await chain.client.revert({ id: snapshot });
      const other = await sell('other');
      await chain.client.mine({ blocks: 2 });
      const again = await sell('moved');
      expect(again.saleId).toBe(dropped.saleId);
      await deployment.settledToHead();
      const keys = await orderKeys();
      expect(keys).toEqual(expect.arrayContaining([other.orderKey, moved.orderKey]));
      expect(keys).not.toContain(dropped.orderKey);
      await expectSound();

      await expectConfirmed([await served(other.saleId), await served(again.saleId)]);
      const after = await bundleOf(scene, again.saleId);
      await expectPassed([after]);
      const { blockHashes } = fullTrust(after);
      const stale = verifyBundle(bundleText(before), { ...fullTrust(before), blockHashes });
      expect(stale.verdict).not.toBe('pass');
    }, 180_000);

    if (client.firstReceipt === DEPOSIT) {
      it('settles, confirms and proves a sale that was deposited from another chain', async () => {
        const campaignId = await open(scene, {});
        const [nodeId = 0n] = await grow(scene, campaignId, 1);
        const [termsHash, nodeOwner] = await Promise.all([
          termsOf(chain, campaignId),
          ownerOf(chain, nodeId),
        ]);
        const orderKey = keccak256(toHex('deposited'));
        const place = { campaignId, termsHash, nodeId, nodeOwner };
        const bought = purchase(chain, { ...place, buyer: scene.buyer, orderKey });
        const serializedTransaction = deposit({ ...bought, sourceHash: orderKey });
        const hash = await chain.client.sendRawTransaction({ serializedTransaction });
        const receipt = await mined(chain.client, hash);
        expect(receipt.type).toBe(DEPOSIT);
        const { saleId } = emitted(receipt, 'SaleRecorded');
        await deployment.settledToHead();
        await expectConfirmed([await served(saleId)]);
        await expectPassed([await bundleOf(scene, saleId)]);
        await expectSound();
      }, 120_000);
    }

    it.runIf(startsWhole)(
      'passes `tributary start --check`, which verifies every sale',
      async () => {
        const dataDir = await mkdtemp(join(tmpdir(), 'tributary-start-'));
        await chmod(dataDir, 0o755);
        try {
          const { DATABASE_URL: _, ...variables } = deployment.variables();
          const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
          const env = { ...variables, ...client.env, ...ports, DATA_DIR: dataDir };
          const started = await runCli(['start', '--check', '--json'], env);
          expect({ ...started, stderr: '' }).toMatchObject({ code: 0 });
          const sold = (await orderKeys()).length;
          expect(JSON.parse(started.stdout)).toMatchObject({
            ...{ ok: true, verified: sold, passed: sold },
            ...{ violations: [], discrepancies: 0, failures: [] },
          });
        } finally {
          await rm(dataDir, { recursive: true, force: true });
        }
      },
      240_000,
    );

    async function orderKeys(): Promise<string[]> {
      const rows = await deployment.pool<{ order_key: string }[]>`
        select order_key from ledger.sale`;
      return rows.map((row) => row.order_key);
    }

    async function expectSound(): Promise<void> {
      expect(await differencesFromChain(chain, deployment.pool)).toEqual([]);
      const report = await audit(deployment.pool, contractReader(chainEnv(chain)));
      expect(report).toMatchObject({ violations: [], discrepancies: 0 });
    }

    async function expectConfirmed(
      receipts: readonly Awaited<ReturnType<typeof served>>[],
    ): Promise<void> {
      const { client: rpc } = batchingClient(chain.anvil.url);
      for (const receipt of receipts) {
        const { verdict, checks } = await verifySale({
          client: rpc,
          contractAddress: chain.contract,
          saleId: receipt.saleId,
          chainId: chain.chainId,
          genesisHash: chain.genesisHash,
          fromBlock: chain.startBlock,
          served: receipt,
        });
        const open = checks.filter(({ status }) => status !== 'pass');
        expect({ verdict, open }).toEqual({ verdict: 'pass', open: [] });
      }
      if (!pythonIsInstalled) return;
      const verifier = startSecondVerifierOfSales();
      const opinions = await verifier.opinions(
        receipts.map((receipt) => ({
          rpc: chain.anvil.url,
          contract: chain.contract,
          saleId: receipt.saleId,
          receipt,
          chainId: chain.chainId,
          genesisHash: chain.genesisHash,
          startBlock: Number(chain.startBlock),
        })),
      );
      await verifier.stop();
      expect(opinions.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(opinions).toHaveLength(receipts.length);
    }

    async function expectPassed(bundles: readonly Bundle[]): Promise<void> {
      const questions = bundles.map((bundle) => ({
        file: bundleText(bundle),
        trust: fullTrust(bundle),
      }));
      for (const { file, trust } of questions) {
        expect(trust.chainId).toBe(chain.chainId);
        expect(verifyBundle(file, trust)).toMatchObject({ verdict: 'pass' });
      }
      if (!pythonIsInstalled) return;
      const verifier = startSecondVerifier();
      const opinions = await verifier.opinions(questions);
      await verifier.stop();
      expect(opinions.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
      expect(opinions).toHaveLength(bundles.length);
    }
  });
}
