import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '../../../engine/client/error.ts';
import { api } from '../api.ts';
import {
  CallsRequest,
  type ExecutedCalls,
  mayBeSent,
  NotTakenError,
  takesCalls,
} from './send-calls.ts';
import {
  RevertedError,
  receiptOf,
  sendTransaction,
  type UnsignedTransaction,
  type Wallet,
  WalletError,
} from './wallet.ts';
import { useWallet } from './wallets.ts';

/** How far a transaction has come. `taken`: its wallet executes it together with others. `settled`: the service's answers include it. */
export type Progress =
  | { readonly stage: 'signing' | 'taken' }
  | { readonly stage: 'sent' | 'mined' | 'settled'; readonly hash: `0x${string}` };

type Sent = Extract<Progress, { readonly hash: string }>;

const isSent = (progress: Progress): progress is Sent => 'hash' in progress;

/** Milliseconds between two questions about a transaction. */
const POLL_MS = 1_000;

/** Milliseconds in which the service must find a transaction that a wallet names. */
const FOUND_MS = 60_000;

/**
 * Lets the wallet sign and send transactions in their order, each after the one before is in a block, and waits until
 * the service has settled the last one. A wallet that can do all of them in one step is asked once.
 * @param from the account that signs.
 * @param onSettled called once the answers of the service include all of them.
 * @param onSent called with the index and the hash of each transaction that the wallet has sent.
 * @param onAsked called with true before the wallet is asked to do all in one step, and with false if it did not take them.
 */
export function useTransactions(
  from: string,
  transactions: readonly UnsignedTransaction[],
  onSettled: () => unknown = () => undefined,
  onSent: (index: number, hash: `0x${string}`) => unknown = () => undefined,
  onAsked: (mayBeTaken: boolean) => unknown = () => undefined,
) {
  const wallet = useWallet()?.wallet;
  const [progress, setProgress] = useState<readonly Progress[]>([]);
  const isOneByOne = useRef(false);
  /** Lets the wallet do all in one step. @returns `undefined` if it does them one by one. */
  async function together(signer: Wallet): Promise<ExecutedCalls | undefined> {
    const [first] = transactions;
    if (first === undefined || transactions.length === 1 || isOneByOne.current) return undefined;
    const calls = new CallsRequest(signer, from, transactions);
    const takes = mayBeSent(from, transactions) || (await takesCalls(signer, from, first.chainId));
    if (!takes) return undefined;
    const showAll = (now: Progress) => setProgress(transactions.map(() => now));
    try {
      showAll({ stage: 'signing' });
      onAsked(true);
      await calls.send();
      showAll({ stage: 'taken' });
      const executed = await calls.executed(POLL_MS);
      const { hash } = executed;
      await foundByService(hash);
      calls.forget();
      showAll({ stage: 'mined', hash });
      for (const i of transactions.keys()) onSent(i, hash);
      return executed;
    } catch (error) {
      isOneByOne.current = error instanceof NotTakenError;
      setProgress([]);
      onAsked(mayBeSent(from, transactions));
      throw error;
    }
  }
  const run = useMutation({
    mutationFn: async () => {
      if (wallet === undefined) throw new Error('This browser has no wallet.');
      if (progress.every(({ stage }) => stage === 'signing')) {
        const executed = await together(wallet);
        if (executed !== undefined) {
          await settledUpTo(executed.blockNumber);
          setProgress(transactions.map(() => ({ stage: 'settled', hash: executed.hash })));
          return;
        }
      }
      const done: Progress[] = progress.filter(isSent);
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
          const sent = earlier !== undefined && isSent(earlier) ? earlier : undefined;
          const hash = sent?.hash ?? (await sendTransaction(wallet, from, transaction));
          show(i, { stage: 'sent', hash });
          if (sent === undefined) onSent(i, hash);
          block = await receiptOf(wallet, hash, POLL_MS);
          show(i, { stage: 'mined', hash });
        } catch (error) {
          // A transaction that was not sent, or was reverted, can be tried again. Others are waited for.
          const last = done[i];
          const isWaiting = last !== undefined && isSent(last) && !(error instanceof RevertedError);
          done.length = isWaiting ? i + 1 : i;
          setProgress([...done]);
          throw error;
        }
      }
      await settledUpTo(block);
      setProgress(done.map((one) => (isSent(one) ? { ...one, stage: 'settled' } : one)));
    },
    onSuccess: onSettled,
  });
  return { run, progress, hasWallet: wallet !== undefined };
}

/**
 * Resolves once the service has found an event of the contract in a transaction, at its own RPC.
 * @throws {WalletError} if the transaction has none, or the chain does not know it.
 */
async function foundByService(hash: `0x${string}`): Promise<void> {
  const until = Date.now() + FOUND_MS;
  for (;;) {
    const status = await statusOf(hash);
    if (status === 'settled' || status === 'included') return;
    if (status === 'reverted' || status === 'unrelated' || Date.now() > until) {
      throw new WalletError(
        `Your wallet says that ${hash} executed this, and this service finds no event of the contract there. Look at the list of transactions of your wallet before you sign again.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function statusOf(hash: `0x${string}`) {
  try {
    return (await api.transactions.get({ hash })).data.status;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'unknown';
    throw error;
  }
}

/** Resolves once the service has settled a block. */
async function settledUpTo(block: bigint): Promise<void> {
  for (;;) {
    const { data } = await api.system.status();
    if (data.settled !== null && BigInt(data.settled.number) >= block) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
