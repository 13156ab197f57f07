import { writeFile } from 'node:fs/promises';
import { rpcClient } from '../../chain/client.ts';
import { identityOf } from '../../chain/identity.ts';
import { whyNoBundles } from '../../core/known-chains.ts';
import type { Env } from '../../env.ts';
import { type Bundle, bundleText, verifyBundle } from '../../verify/bundle/index.ts';
import {
  BundleUnavailableError,
  MAX_LINK_HEADERS,
  makeBundle,
} from '../../verify/bundle/make/index.ts';
import { apiUrlOf, askApi } from '../api-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { trustedChain } from '../trusted-chain.ts';

export interface BundleOptions {
  readonly chainId: string;
  readonly saleId: string;
  readonly url?: string;
  readonly rpc?: readonly string[];
  readonly contract?: `0x${string}`;
  readonly linkHeaders?: string;
  readonly out?: string;
}

/**
 * Runs `tributary bundle`: writes a sale's receipt bundle, made by the API, or here from RPCs that the
 * user names (docs/reference/bundle.md).
 */
export async function runBundle(env: Env, options: BundleOptions): Promise<void> {
  const impossible = whyNoBundles(Number(options.chainId));
  if (impossible !== undefined) throw new CommandError(impossible);
  const bundle =
    options.rpc === undefined
      ? await fromApi(env, options)
      : await fromRpc(env, options, options.rpc);
  const text = bundleText(bundle);
  if (options.out === undefined) {
    // To the byte: a newline more is another file.
    out.data(text);
    return;
  }
  await write(options.out, text);
  out.print(
    `${options.out}: sale ${bundle.saleId}, ${Buffer.byteLength(text)} bytes. It rests on these blocks:`,
    '',
  );
  for (const { number, hash } of verifyBundle(text, { blockHashes: [] }).blocks) {
    out.print(`  ${hash}  block ${number}`);
  }
  out.print(
    '',
    `${style.bold(`tributary verify-bundle ${options.out} --contract ${bundle.contractAddress} --block-hash 0x…`)}`,
  );
}

async function fromApi(env: Env, { chainId, saleId, url, linkHeaders, contract }: BundleOptions) {
  if (linkHeaders !== undefined || contract !== undefined) {
    throw new CommandError('--link-headers and --contract need --rpc.', exitCodes.usage);
  }
  const baseUrl = await apiUrlOf(env, url);
  const { data } = await askApi(baseUrl, (client) =>
    client.receipts.bundle({ chainId: Number(chainId), saleId }),
  );
  const failed = verifyBundle(bundleText(data), { blockHashes: [] }).checks.find(
    ({ status }) => status === 'fail',
  );
  if (failed === undefined) return data;
  throw new CommandError(
    `The bundle of ${baseUrl} does not hold (${failed.name}): ${failed.message}`,
  );
}

async function fromRpc(
  env: Env,
  { chainId, saleId, contract, linkHeaders }: BundleOptions,
  rpcUrls: readonly string[],
): Promise<Bundle> {
  const known = await trustedChain(env);
  const contractAddress = contract ?? known.contractAddress;
  if (contractAddress === undefined) {
    throw new CommandError('Say which contract: --contract <address>.', exitCodes.usage);
  }
  const maxLinkHeaders = linkHeaders === undefined ? undefined : Number(linkHeaders);
  if (maxLinkHeaders !== undefined && maxLinkHeaders > MAX_LINK_HEADERS) {
    throw new CommandError(`--link-headers takes ${MAX_LINK_HEADERS} at most.`, exitCodes.usage);
  }
  const startBlock = contractAddress === known.contractAddress ? known.startBlock : undefined;
  const identity = identityOf(rpcUrls, { chainId: Number(chainId), startBlock: startBlock ?? 0 });
  const bundle = await made({
    client: rpcClient(rpcUrls, { identity }),
    contractAddress,
    saleId,
    fromBlock: startBlock === undefined ? undefined : BigInt(startBlock),
    maxLinkHeaders,
  });
  if (bundle.chainId === Number(chainId)) return bundle;
  throw new CommandError(`The RPC serves chain ${bundle.chainId}, not ${chainId}.`);
}

/** @throws {CommandError} for an RPC that is away; whatever else is wrong is a sentence already. */
async function made(parameters: Parameters<typeof makeBundle>[0]): Promise<Bundle> {
  try {
    return await makeBundle(parameters);
  } catch (error) {
    if (!(error instanceof BundleUnavailableError)) throw error;
    throw new CommandError(error.message, exitCodes.unavailable);
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new CommandError(`The file ${path} cannot be written: ${String(code)}.`, exitCodes.usage);
  }
}
