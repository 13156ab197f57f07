import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { rpcClient } from '../chain/client.ts';
import { identityOf } from '../chain/identity.ts';
import type { ChainEnv } from '../env.ts';
import type { BundleMaker, BundleRequest } from '../http/deps.ts';
import { makeBundleHere } from '../http/resources/receipts/bundles.ts';
import type { Bundle } from '../verify/bundle/index.ts';
import {
  BundleImpossibleError,
  BundleUnavailableError,
  NoSaleError,
} from '../verify/bundle/make/index.ts';
import { projectRoot } from './stack/processes.ts';

/** Hidden command of `tributary` that a thread runs. */
const BUNDLE_THREAD = 'bundle-thread';

/** Memory of the thread. It ends with an error if it needs more, and the API goes on. */
const MAX_MIB = 512;

/** Errors that mean something to the caller, by their name: only plain data passes between threads. */
const ERRORS = { BundleImpossibleError, BundleUnavailableError, NoSaleError };

type Question = { readonly id: number; readonly request: BundleRequest };
type Answer = { readonly id: number } & (
  | { readonly bundle: Bundle }
  | { readonly error: { readonly name: string; readonly message: string } }
);
type ThreadChain = Pick<ChainEnv, 'rpcUrls' | 'chainId' | 'startBlock'>;

interface Waiting {
  readonly resolve: (bundle: Bundle) => void;
  readonly reject: (error: Error) => void;
}

/** Makes bundles on a thread of its own, which starts with the first one, and again after it has ended. */
export class BundleThread implements BundleMaker {
  readonly #chain: ThreadChain;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #questions = 0;

  constructor({ rpcUrls, chainId, startBlock }: ThreadChain) {
    this.#chain = { rpcUrls, chainId, startBlock };
  }

  async make(request: BundleRequest): Promise<Bundle> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#questions += 1;
    const id = this.#questions;
    return await new Promise<Bundle>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      thread.postMessage({ id, request } satisfies Question);
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(join(projectRoot, 'scripts', 'tributary.mjs'), {
      argv: [BUNDLE_THREAD],
      workerData: this.#chain,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MIB },
    });
    thread.unref();
    thread.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('bundle' in answer) waiting?.resolve(answer.bundle);
      else waiting?.reject(errorOf(answer.error));
    });
    let reason = 'it ended';
    thread.on('error', (error: Error) => {
      reason = error.message;
    });
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
      const error = new BundleUnavailableError(`The bundle could not be made: ${reason}.`);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return thread;
  }
}

function errorOf({ name, message }: { readonly name: string; readonly message: string }): Error {
  const known = Object.hasOwn(ERRORS, name) ? ERRORS[name as keyof typeof ERRORS] : Error;
  return new known(message);
}

/** Runs in the thread: makes the bundles that its parent asks for. */
export function runBundleThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('this command is run by `tributary api`');
  const chain = workerData as ThreadChain;
  const client = rpcClient(chain.rpcUrls, { identity: identityOf(chain.rpcUrls, chain) });
  port.on('message', ({ id, request }: Question) => {
    makeBundleHere(client, request).then(
      (bundle) => port.postMessage({ id, bundle } satisfies Answer),
      (error: Error) => {
        const { name, message } = error;
        port.postMessage({ id, error: { name, message } } satisfies Answer);
      },
    );
  });
}
