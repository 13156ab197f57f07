import { useEffect, useRef, useState } from 'react';
import type { Verification } from '../../../../../engine/verify/index.ts';
import { RpcProblem, requireChain } from '../../../rpc/json-rpc.ts';
import type { Receipt } from '../arithmetic.ts';
import type { Progress } from './run.ts';
import type { Trust } from './trust-form.tsx';

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
      readonly rpcUrl: string;
    };

const START: Progress = { requested: 0, answered: 0 };

/** Runs a verification at a time; leaving the page, or `stop`, ends it. */
export function useVerification(receipt: Receipt, atBlock: string | undefined) {
  const [progress, setProgress] = useState<VerificationProgress>({ step: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function verify({ rpcUrl, contractAddress, fromBlock }: Trust) {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    const { signal } = stop;
    const report = (next: VerificationProgress) => {
      if (!signal.aborted) setProgress(next);
    };
    report({ step: 'running', progress: START });
    try {
      await requireChain(rpcUrl, receipt.chainId, signal);
      // Half of the page's weight, for those who verify.
      const { run } = await import('./run.ts');
      const verification = await run({
        rpcUrl,
        contractAddress,
        receipt,
        fromBlock: BigInt(fromBlock),
        atBlock: atBlock === undefined ? undefined : BigInt(atBlock),
        signal,
        onProgress: (progress) => report({ step: 'running', progress }),
      });
      report({ step: 'done', verification, receipt, rpcUrl });
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
  return new RpcProblem('The verification could not be made', message);
}
