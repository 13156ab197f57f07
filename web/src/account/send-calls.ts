// Wallets that take several calls in one confirmation (EIP-5792). What they answer is judged: an answer that is missing
// or makes no sense never leads to a second request for the same calls.
import { bytesToHex, isHash, keccak256, stringToHex } from 'viem';
import { type PreparedCall, sendCallsRequest } from '../../../engine/contract/wallet-calls.ts';
import { removeValue, storedValue, storeValue } from '../storage.ts';
import { codeOf, request, switchChain, type Wallet, WalletError } from './wallet.ts';

/** Milliseconds that a wallet may take to say what it can. Some never answer a method that they do not know. */
const CAPABILITIES_MS = 5_000;

/** Milliseconds after which a request is forgotten whose end was never seen. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** Codes of a wallet that did not take the request: unknown or wrong method, and what EIP-5792 adds. */
const NOT_TAKEN: readonly unknown[] = [4200, -32601, -32602, 5700, 5710, 5740, 5750, 5760];
const REJECTED = 4001;
const DUPLICATE_ID = 5720;
const UNKNOWN_ID = 5730;

/** A wallet did not take the calls as one, and has sent none of them. */
export class NotTakenError extends WalletError {
  constructor(cause: unknown) {
    super(
      'Your wallet did not take all steps in one, and sent none of them. Press the button again to sign one after the other.',
      { cause },
    );
  }
}

/** Requests of this page, for browsers whose storage is disabled. */
const requests = new Map<string, string>();

/** Transaction that executed the calls. */
export interface ExecutedCalls {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
}

/** True if the wallet says that it executes several calls of the account as one, on that chain. */
export async function takesCalls(wallet: Wallet, from: string, chainId: number): Promise<boolean> {
  const chain = `0x${chainId.toString(16)}`;
  const asked = wallet.request({ method: 'wallet_getCapabilities', params: [from, [chain]] });
  const late = new Promise((resolve) => setTimeout(resolve, CAPABILITIES_MS));
  const answer = await Promise.race([asked, late]).catch(() => undefined);
  const onChain = Object.entries(fieldsOf(answer)).filter(
    ([key]) => key === '0x0' || Number(key) === chainId,
  );
  return onChain.some(([, capabilities]) => {
    const { status } = fieldsOf(fieldsOf(capabilities).atomic);
    return status === 'supported' || status === 'ready';
  });
}

/** Name under which this browser stores the id of a request for these calls. */
function nameOf(from: string, calls: readonly PreparedCall[]): string {
  const named = calls.map(({ chainId, to, data, value }) => [chainId, to, data, value]);
  return `calls.${keccak256(stringToHex(JSON.stringify([from.toLowerCase(), named])))}`;
}

/** True if a wallet may have these calls of an account already, also from before this page was opened again. */
export function mayBeSent(from: string, calls: readonly PreparedCall[]): boolean {
  return storedId(nameOf(from, calls)) !== undefined;
}

/** Id of the request that this browser stores under a name; `undefined` if there is none, or it is too old. */
function storedId(name: string): string | undefined {
  const text = requests.get(name) ?? storedValue(name);
  const { id, at } = text === undefined ? {} : fieldsOf(JSON.parse(text));
  const isRecent = typeof at === 'number' && Date.now() - at < FORGOTTEN_MS;
  return isRecent && typeof id === 'string' ? id : undefined;
}

/** Calls of an account that its wallet is, or may be, executing as one. */
export class CallsRequest {
  readonly #wallet: Wallet;
  readonly #from: string;
  readonly #calls: readonly PreparedCall[];
  readonly #name: string;

  constructor(wallet: Wallet, from: string, calls: readonly PreparedCall[]) {
    this.#wallet = wallet;
    this.#from = from;
    this.#calls = calls;
    this.#name = nameOf(from, calls);
  }

  /**
   * Lets the wallet take the calls, unless it may have them already.
   * @throws {NotTakenError} if it has sent none of them, and they can be sent one by one.
   * @throws {WalletError} if they were rejected, or it is not known whether the wallet has them.
   */
  async send(): Promise<void> {
    const [first] = this.#calls;
    if (first === undefined || storedId(this.#name) !== undefined) return;
    await switchChain(this.#wallet, first.chainId);
    const id = bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
    // Stored before the wallet is asked: this page may be closed before it answers.
    this.#store(id);
    const call = sendCallsRequest(this.#calls, { from: this.#from, id });
    let answer: unknown;
    try {
      answer = await this.#wallet.request({ method: 'wallet_sendCalls', params: [call] });
    } catch (error) {
      const code = codeOf(error);
      if (code === DUPLICATE_ID) return;
      if (NOT_TAKEN.includes(code)) {
        this.forget();
        throw new NotTakenError(error);
      }
      if (code === REJECTED) {
        this.forget();
        throw new WalletError('You rejected the request in your wallet.', { cause: error });
      }
      throw new WalletError(
        'Your wallet did not say whether it took this. Press the button again: it is asked what became of it, and nothing is sent twice.',
        { cause: error },
      );
    }
    const named = typeof answer === 'string' ? answer : fieldsOf(answer).id;
    if (typeof named === 'string' && named !== '') this.#store(named);
  }

  /**
   * Waits until the wallet has executed the calls.
   * @param pollMs milliseconds between two questions.
   * @returns the transaction that the wallet names, which the caller must find on the chain.
   * @throws {WalletError} if they were not executed, or the answer makes no sense.
   */
  async executed(pollMs: number): Promise<ExecutedCalls> {
    for (;;) {
      const status = await this.#status();
      const code = status.status;
      if (typeof code !== 'number') throw unclear('no status');
      const kind = Math.floor(code / 100);
      if (kind === 2) return this.#judged(status);
      if (kind === 4 || kind === 5) {
        this.forget();
        throw new WalletError(
          kind === 4
            ? 'Your wallet gave this up, and says that nothing reached the chain.'
            : 'Your wallet says that the contract reverted this, so nothing changed.',
        );
      }
      if (kind === 6) {
        throw new WalletError(
          'Your wallet executed only a part of this. Reload the page: it shows what is left to sign.',
        );
      }
      if (kind !== 1) throw unclear(`the status ${code}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Forgets the request: the same calls are another one from now on. */
  forget(): void {
    requests.delete(this.#name);
    removeValue(this.#name);
  }

  async #status(): Promise<Readonly<Record<string, unknown>>> {
    try {
      return fieldsOf(await request(this.#wallet, 'wallet_getCallsStatus', [storedId(this.#name)]));
    } catch (error) {
      const isUnknown = error instanceof WalletError && codeOf(error.cause) === UNKNOWN_ID;
      if (!isUnknown) throw error;
      this.forget();
      throw new WalletError(
        'Your wallet does not know this request. If its list of transactions has it, do not sign again. Otherwise press the button again.',
        { cause: error },
      );
    }
  }

  /** The transaction of a status that says "executed": believed only if it has an event of the called contract. */
  #judged({ chainId, receipts }: Readonly<Record<string, unknown>>): ExecutedCalls {
    const called = this.#calls.map(({ to }) => to.toLowerCase());
    if (Number(chainId) !== this.#calls[0]?.chainId) throw unclear('another chain');
    const all = Array.isArray(receipts) ? receipts.map(fieldsOf) : [];
    if (all.some(({ status }) => status !== '0x1')) throw unclear('a transaction that failed');
    const ours = all.find(({ logs }) => hasLogOf(called, logs));
    const { transactionHash, blockNumber } = ours ?? {};
    if (typeof transactionHash !== 'string' || !isHash(transactionHash)) {
      throw unclear('no transaction with an event of what was called');
    }
    if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(blockNumber)) {
      throw unclear('no block');
    }
    return { hash: transactionHash, blockNumber: BigInt(blockNumber) };
  }

  #store(id: string): void {
    const text = JSON.stringify({ id, at: Date.now() });
    requests.set(this.#name, text);
    storeValue(this.#name, text);
  }
}

function unclear(reported: string): WalletError {
  return new WalletError(
    `Your wallet says that this was executed, but reports ${reported}. Look at its list of transactions before you sign again.`,
  );
}

function hasLogOf(called: readonly string[], logs: unknown): boolean {
  if (!Array.isArray(logs)) return false;
  return logs.some((log) => {
    const { address } = fieldsOf(log);
    return typeof address === 'string' && called.includes(address.toLowerCase());
  });
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
