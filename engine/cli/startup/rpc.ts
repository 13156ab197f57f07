import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { signingDomain } from '../../core/signing-domain.ts';
import type { ChainEnv } from '../../env.ts';
import { lacksAtStart } from '../doctor/at-start.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  type CheckResult,
  type ClockSample,
  messageOf,
  type StartupCheck,
} from './startup-check.ts';

/** How a program uses its RPCs. */
export interface RpcUse {
  /** True if the program cannot begin without one. */
  readonly isNeeded: boolean;
  /** True if it indexes or settles, for which an RPC may lack something. */
  readonly followsChain: boolean;
}

/**
 * Asks each RPC for its newest block and its chain. Several are tried in turn, so it is enough if one responds; one
 * of another chain is left out of requests later (engine/chain/identity.ts), and no program runs with nothing else. Nor
 * does one run for a contract of another version, whose events it would misread. What an RPC lacks is said too, and
 * prevents nothing.
 */
export function rpcCheck(chain: ChainEnv, { isNeeded, followsChain }: RpcUse): StartupCheck {
  const urls = [...new Set(chain.rpcUrls)];
  const exit = isNeeded ? { exitCode: exitCodes.unavailable } : {};
  return {
    late: { sentence: `RPC_URL: ${urls.map(hostOf).join(', ')} does not respond.`, ...exit },
    run: async (signal): Promise<CheckResult> => {
      const results = await Promise.all(
        urls.map(async (url) => {
          const asked = ask(url, chain, signal);
          const newest = asked.then(({ block }) => block);
          const lacks = followsChain ? lacksAtStart(url, chain, newest) : [];
          return { ...(await asked), lacks: await lacks };
        }),
      );
      const failures = results.flatMap(({ failure }) => failure ?? []);
      const wrong = results.flatMap(({ wrongChain }) => wrongChain ?? []);
      const versions = results.flatMap(({ otherVersion }) => otherVersion ?? []).slice(0, 1);
      const isAway = failures.length === urls.length;
      const isWrong = wrong.length > 0 && failures.length + wrong.length === urls.length;
      return {
        findings: [
          ...failures.map((sentence) => ({ sentence, ...(isAway ? exit : {}) })),
          ...wrong.map((sentence) => ({
            sentence,
            ...(isWrong ? { exitCode: exitCodes.failed } : {}),
          })),
          ...versions.map((sentence) => ({ sentence, exitCode: exitCodes.failed })),
          // Of an RPC that failed or is of another chain, that is enough to say: it has no block here.
          ...results.flatMap(({ lacks }) => lacks.map((sentence) => ({ sentence }))),
        ],
        clocks: results.flatMap(({ clocks = [] }) => clocks),
      };
    },
  };
}

interface Asked {
  readonly failure?: string;
  /** A sentence if the RPC says that it is of another chain; a refusal says nothing. */
  readonly wrongChain?: string;
  /** A sentence if the contract is of another version of the protocol; unknown if the RPC does not say it. */
  readonly otherVersion?: string | undefined;
  readonly clocks?: readonly ClockSample[];
  /** The newest block, of an RPC of the right chain. */
  readonly block?: unknown;
}

async function ask(
  url: string,
  { chainId, contractAddress }: Pick<ChainEnv, 'chainId' | 'contractAddress'>,
  signal: AbortSignal,
): Promise<Asked> {
  const host = hostOf(url);
  const before = Date.now();
  try {
    const domain = { to: contractAddress, data: domainCall };
    const [response, other, version] = await Promise.all([
      post(url, 'eth_getBlockByNumber', ['latest', false], signal),
      post(url, 'eth_chainId', [], signal)
        .then(chainIdOf)
        .catch(() => undefined),
      post(url, 'eth_call', [domain, 'latest'], signal)
        .then(versionOf)
        .catch(() => undefined),
    ]);
    const text = await response.text();
    if (!response.ok) return { failure: `RPC_URL: ${host} answers with HTTP ${response.status}.` };
    const block = blockIn(text);
    if (block === undefined) return { failure: `RPC_URL: ${host} does not answer as an RPC does.` };
    if (other !== undefined && other !== chainId) {
      return {
        wrongChain: `CHAIN_ID is ${chainId}, and the RPC ${host} of RPC_URL is of chain ${other}: correct one of them.`,
      };
    }
    return {
      block,
      otherVersion:
        version === undefined || version === signingDomain.version
          ? undefined
          : `CONTRACT_ADDRESS: ${contractAddress} is a contract of version ${version}, and this release reads version ${signingDomain.version}: run the release that reads it, or deploy a new contract.`,
      clocks: clocksOf(host, chainId, { before, block, date: response.headers.get('date') }),
    };
  } catch (error) {
    if (signal.aborted) return { failure: `RPC_URL: ${host} does not respond.` };
    return { failure: `RPC_URL: ${host} does not respond (${messageOf(error)}).` };
  }
}

function post(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<Response> {
  return fetch(withoutCredentials(url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentialsOf(url) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
}

/** The chain id that an RPC says; `undefined` if it does not. */
async function chainIdOf(response: Response): Promise<number | undefined> {
  const { result }: { result?: unknown } = JSON.parse(await response.text());
  return typeof result === 'string' && /^0x[0-9a-f]+$/i.test(result) ? Number(result) : undefined;
}

/** Call that asks a contract for the domain of its signatures (ERC-5267). */
const domainCall = encodeFunctionData({ abi: referralCommerceAbi, functionName: 'eip712Domain' });

/** The version in the domain of a contract of ours; `undefined` if the RPC does not say it, or it is another contract. */
async function versionOf(response: Response): Promise<string | undefined> {
  const { result }: { result: Hex } = JSON.parse(await response.text());
  const [, name, version] = decodeFunctionResult({
    abi: referralCommerceAbi,
    functionName: 'eip712Domain',
    data: result,
  });
  return name === signingDomain.name && /^\d{1,4}$/.test(version) ? version : undefined;
}

/** The newest block of an answer: `null` if the RPC has none yet; `undefined` if it is no answer of an RPC. */
function blockIn(text: string): { readonly timestamp?: string } | null | undefined {
  try {
    const { jsonrpc, result } = JSON.parse(text);
    // A busy RPC answers with an error, and is one all the same.
    return jsonrpc === '2.0' ? (result ?? null) : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the clock with the HTTP server's and with the chain's, which is behind by a block or more. */
function clocksOf(
  host: string,
  chainId: number,
  {
    before,
    block,
    date,
  }: { before: number; block: { readonly timestamp?: string } | null; date: string | null },
): ClockSample[] {
  const now = (before + Date.now()) / 2;
  const served = date === null ? Number.NaN : Date.parse(date);
  const mined = Number(block?.timestamp) * 1_000;
  // A local chain may be at any time; and an old block says nothing: the chain may have stopped.
  const isAhead = chainId !== LOCAL_CHAIN_ID && mined > now;
  return [
    ...(Number.isNaN(served) ? [] : [{ source: `the RPC ${host}`, aheadMs: now - served }]),
    ...(isAhead ? [{ source: 'the newest block', aheadMs: now - mined }] : []),
  ];
}

/** An address without its path and query, which may hold a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that is no URL';
}

function withoutCredentials(url: string): string {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain.href;
}

function credentialsOf(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}
