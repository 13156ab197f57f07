import {
  BaseError,
  createClient,
  type Hex,
  http,
  isAddressEqual,
  isHex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { DeployerEnv } from '../../env.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readKeystore } from './keystore.ts';

/** Options that name the key of a deployment. */
export interface KeyOptions {
  readonly keystore?: string;
  readonly passwordFile?: string;
  /** URL of an external signer. */
  readonly signer?: string;
  /** Account of the external signer. */
  readonly from?: Hex;
}

/** Transaction to sign, with every field. Fees are wei per unit of gas. */
export interface Unsigned {
  readonly chainId: number;
  readonly nonce: number;
  /** `undefined` creates a contract. */
  readonly to: Hex | undefined;
  readonly data: Hex;
  readonly gas: bigint;
  readonly fees:
    | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
    | { readonly gasPrice: bigint };
}

/** An account that can sign. */
export interface Signer {
  readonly address: Hex;
  /** @returns the signed transaction, or its hash if the signer has sent it already. */
  sign(transaction: Unsigned): Promise<{ readonly raw: Hex } | { readonly sent: Hex }>;
}

/** Milliseconds for which an external signer may wait for a person. */
const SIGNER_TIMEOUT_MS = 10 * 60_000;

/**
 * Checks that exactly one key is named, without reading it.
 * @returns a function that opens the key, which may ask for a password.
 * @throws {CommandError} if none or several are named, or an option belongs to another source.
 */
export function chooseSigner(
  env: DeployerEnv,
  { keystore, passwordFile, signer, from }: KeyOptions,
): () => Promise<Signer> {
  const key = env.deployerPrivateKey;
  const sources = { '--keystore': keystore, '--signer': signer, DEPLOYER_PRIVATE_KEY: key };
  const named = Object.entries(sources).flatMap(([name, value]) => (value ? [name] : []));
  if (named.length !== 1) {
    throw new CommandError(
      named.length === 0
        ? 'Name one key: --keystore <file>, --signer <url> with --from <address>, or DEPLOYER_PRIVATE_KEY.'
        : `Name one key only, not ${named.join(' and ')}.`,
      exitCodes.usage,
    );
  }
  if (passwordFile !== undefined && keystore === undefined) {
    throw new CommandError('--password-file needs --keystore.', exitCodes.usage);
  }
  if ((signer === undefined) !== (from === undefined)) {
    throw new CommandError('--signer and --from need each other.', exitCodes.usage);
  }
  if (keystore !== undefined) {
    const password = { file: passwordFile, variable: env.keystorePassword };
    return async () => localSigner(await readKeystore(keystore, password));
  }
  if (signer !== undefined && from !== undefined) return async () => externalSigner(signer, from);
  if (key === undefined) throw new Error('a key was named, and none was found');
  return async () => localSigner(key);
}

function localSigner(key: Hex): Signer {
  const account = ((): ReturnType<typeof privateKeyToAccount> => {
    try {
      return privateKeyToAccount(key);
    } catch {
      // viem's message contains the key.
      throw new CommandError('The private key is not a key of the curve secp256k1.');
    }
  })();
  return {
    address: account.address,
    async sign({ fees, ...transaction }) {
      return { raw: await account.signTransaction({ ...transaction, ...fees }) };
    },
  };
}

/** Methods of external signers, in the order in which they are tried. */
const SIGNER_METHODS = ['eth_signTransaction', 'account_signTransaction', 'eth_sendTransaction'];

/**
 * A signer behind JSON-RPC: web3signer (`eth_signTransaction`), Clef (`account_signTransaction`), or
 * a node with an unlocked account (`eth_sendTransaction`, if it does not only sign).
 */
function externalSigner(url: string, address: Hex): Signer {
  const client = createClient({
    transport: http(url, { timeout: SIGNER_TIMEOUT_MS, retryCount: 0 }),
  });
  return {
    address,
    async sign(transaction) {
      const params = [rpcTransactionOf(transaction, address)];
      for (const method of SIGNER_METHODS) {
        try {
          const answer = await client.request({ method, params } as never);
          return await readAnswer(method, answer, transaction, address);
        } catch (error) {
          if (!isUnknownMethod(error)) throw signerError(url, error);
        }
      }
      throw new CommandError(`The signer at ${hostOf(url)} cannot sign transactions.`);
    },
  };
}

/** A transaction as JSON-RPC has it. */
function rpcTransactionOf({ fees, ...transaction }: Unsigned, from: Hex) {
  const { to, data, gas, nonce, chainId } = transaction;
  const feeFields = Object.entries(fees).map(([name, fee]) => [name, numberToHex(fee)]);
  return {
    from,
    ...(to === undefined ? {} : { to }),
    // Clef and older nodes read `data`; others prefer `input`, and none accepts two that differ.
    data,
    value: '0x0',
    gas: numberToHex(gas),
    nonce: numberToHex(nonce),
    chainId: numberToHex(chainId),
    ...Object.fromEntries(feeFields),
  };
}

const signedAnswer = z
  .union([z.string(), z.object({ raw: z.string() }).transform(({ raw }) => raw)])
  .refine((raw): raw is Hex => isHex(raw));

async function readAnswer(method: string, answer: unknown, asked: Unsigned, from: Hex) {
  const parsed = signedAnswer.safeParse(answer);
  if (!parsed.success) throw new CommandError('The signer returned no signed transaction.');
  if (method === 'eth_sendTransaction') return { sent: parsed.data };
  if (!(await isSame(parsed.data, asked, from))) {
    throw new CommandError(
      `The signer signed another transaction, or with another key than that of ${from}: nothing was sent.`,
    );
  }
  return { raw: parsed.data };
}

/** True if a signed transaction is by an account, and does what was asked. */
async function isSame(raw: Hex, asked: Unsigned, from: Hex): Promise<boolean> {
  const serializedTransaction = raw as TransactionSerialized;
  const signed = parseTransaction(serializedTransaction);
  const by = await recoverTransactionAddress({ serializedTransaction });
  return (
    isAddressEqual(by, from) &&
    signed.chainId === asked.chainId &&
    (signed.nonce ?? 0) === asked.nonce &&
    (signed.value ?? 0n) === 0n &&
    (signed.to ?? undefined)?.toLowerCase() === asked.to?.toLowerCase() &&
    signed.data !== undefined &&
    keccak256(signed.data) === keccak256(asked.data)
  );
}

/** True if a signer does not have a method: -32601, or a sentence like geth's or anvil's. */
function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const found = error.walk((cause) =>
    [-32601, -32004].includes((cause as { code?: number }).code ?? 0),
  );
  return found !== null || /method .*(not|does not) |unknown method/i.test(error.details);
}

function signerError(url: string, error: unknown): unknown {
  if (!(error instanceof BaseError)) return error;
  const reason = error.details || error.shortMessage;
  return new CommandError(
    `The signer at ${hostOf(url)} did not sign: ${reason.replaceAll(url, hostOf(url))}`,
    exitCodes.unavailable,
  );
}

function hostOf(url: string): string {
  return new URL(url).host;
}
