import { useEffect, useRef, useState } from 'react';
import type { Verification } from '../../../../../engine/verify/index.ts';
import { RpcProblem, requireChain } from '../../../rpc/json-rpc.ts';
import type { Receipt } from '../arithmetic.ts';
import type { Progress } from './run.ts';
import { type ContractSource, rememberTrust, rpcName, type Trust } from './trust.ts';

/** Progress of a verification. */
export type VerificationProgress =
  | { readonly step: 'idle' }
  | { readonly step: 'running'; readonly progress: Progress }
  | { readonly step: 'stuck'; readonly problem: RpcProblem }
  | {
      readonly step: 'done';
      readonly verification: Verification;
      /** The verified receipt: the page may show a newer one by then. */
      readonly receipt: Receipt;
      /** Name of the RPC that was asked. */
      readonly rpc: string;
      readonly contractFrom: ContractSource;
    };

const START: Progress = { requested: 0, answered: 0 };

/** The sale of the page's address, and its chain as the service describes it. */
interface AskedSale {
  readonly chainId: number;
  readonly saleId: string;
  /** The block that the receipt was read as of. */
  readonly atBlock: string | undefined;
  /** Hash of block 0; `undefined` if it is not known. */
  readonly genesisHash: string | undefined;
}

/** Runs a verification at a time; leaving the page, or `stop`, ends it. */
export function useVerification(receipt: Receipt, asked: AskedSale) {
  const { chainId, saleId, atBlock, genesisHash } = asked;
  const [progress, setProgress] = useState<VerificationProgress>({ step: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function verify(trust: Trust) {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    const { signal } = stop;
    const report = (next: VerificationProgress) => {
      if (!signal.aborted) setProgress(next);
    };
    report({ step: 'running', progress: START });
    try {
      const { rpc, contractAddress, fromBlock } = trust;
      // A wallet's own chain is compared by the verification itself.
      if (rpc.kind === 'url') await requireChain(rpc.url, chainId, signal);
      // Half of the page's weight, for those who verify.
      const { run } = await import('./run.ts');
      const verification = await run({
        rpc,
        contractAddress,
        chainId,
        saleId,
        receipt,
        genesisHash,
        fromBlock: BigInt(fromBlock),
        atBlock: atBlock === undefined ? undefined : BigInt(atBlock),
        signal,
        onProgress: (progress) => report({ step: 'running', progress }),
      });
      if (signal.aborted) return;
      const worked = verification.reason === null && verification.verdict !== 'fail';
      if (worked) rememberTrust(chainId, trust);
      const { contractFrom } = trust;
      report({ step: 'done', verification, receipt, rpc: rpcName(rpc), contractFrom });
    } catch (error) {
      report({ step: 'stuck', problem: problemOf(error) });
    }
  }

  function stop() {
    running.current?.abort();
    setProgress({ step: 'idle' });
  }

  return { progress, verify, stop };
}

function problemOf(error: unknown): RpcProblem {
  if (error instanceof RpcProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new RpcProblem('The verification failed', message);
}
