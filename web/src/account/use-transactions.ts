import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { receiptOf, sendTransaction, type UnsignedTransaction } from './wallet.ts';
import { useWallet } from './wallets.ts';

/** How far a transaction has come. `settled`: the service's answers include it. */
export type Progress =
  | { readonly stage: 'signing' }
  | { readonly stage: 'sent' | 'mined' | 'settled'; readonly hash: `0x${string}` };

/** Milliseconds between two questions about a transaction. */
const POLL_MS = 1_000;

/**
 * Lets the wallet sign and send transactions in their order, each after the one before is in a block, and waits until
 * the service has settled the last one.
 * @param from the account that signs.
 * @param onSettled called once the answers of the service include all of them.
 * @param onSent called with the index and the hash of each transaction that the wallet has sent.
 */
export function useTransactions(
  from: string,
  transactions: readonly UnsignedTransaction[],
  onSettled: () => unknown = () => undefined,
  onSent: (index: number, hash: `0x${string}`) => unknown = () => undefined,
) {
  const wallet = useWallet()?.wallet;
  const [progress, setProgress] = useState<readonly Progress[]>([]);
  const run = useMutation({
    mutationFn: async () => {
      if (wallet === undefined) throw new Error('This browser has no wallet.');
      const done: Progress[] = progress.filter(({ stage }) => stage !== 'signing');
      const show = (i: number, now: Progress) => {
        done[i] = now;
        setProgress([...done]);
      };
      let block = 0n;
      for (let i = 0; i < transactions.length; i += 1) {
        const transaction = transactions[i];
        if (transaction === undefined || done[i]?.stage === 'mined') continue;
        try {
          const earlier = done[i];
          if (earlier === undefined) show(i, { stage: 'signing' });
          const sent = earlier === undefined || earlier.stage === 'signing' ? undefined : earlier;
          const hash = sent?.hash ?? (await sendTransaction(wallet, from, transaction));
          show(i, { stage: 'sent', hash });
          if (sent === undefined) onSent(i, hash);
          block = await receiptOf(wallet, hash, POLL_MS);
          show(i, { stage: 'mined', hash });
        } catch (error) {
          // A transaction that was not sent, or was reverted, can be tried again.
          done.length = i;
          setProgress([...done]);
          throw error;
        }
      }
      await settledUpTo(block);
      setProgress(
        done.map((one) => (one.stage === 'signing' ? one : { ...one, stage: 'settled' })),
      );
    },
    onSuccess: onSettled,
  });
  return { run, progress, hasWallet: wallet !== undefined };
}

/** Resolves once the service has settled a block. */
async function settledUpTo(block: bigint): Promise<void> {
  for (;;) {
    const { data } = await api.system.status();
    if (data.settled !== null && BigInt(data.settled.number) >= block) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
