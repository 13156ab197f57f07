import { type FormEvent, useId, useState } from 'react';
import { verifyBundle } from '../../../../engine/verify/bundle/index.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { countOf } from '../../format.ts';
import { askRpc, RpcProblem, requireChain } from '../../rpc/json-rpc.ts';
import { hostOf, rpcUrlProblem } from '../../rpc/rpc-url.ts';
import { storedValue, storeValue } from '../../storage.ts';
import styles from './bundle.module.css';

interface AskForHashesProps {
  readonly bytes: Uint8Array;
  readonly onHashes: (hashes: readonly string[]) => void;
}

/** Lets an RPC that the reader trusts name the hashes: the one part that needs a network. */
export function AskForHashes({ bytes, onHashes }: AskForHashesProps) {
  const id = useId();
  const { chainId, blocks } = verifyBundle(bytes, { blockHashes: [] });
  const [rpcUrl, setRpcUrl] = useState(() => storedValue(`rpc.${chainId}`) ?? '');
  const [message, setMessage] = useState<{ readonly text: string; readonly wrong: boolean }>();
  if (chainId === null || blocks.length === 0) return null;
  const numbers = blocks.map(({ number }) => number);
  async function ask(event: FormEvent) {
    event.preventDefault();
    const url = rpcUrl.trim();
    const problem = rpcUrlProblem(url);
    if (problem !== undefined || chainId === null) {
      setMessage({ text: problem ?? '', wrong: true });
      return;
    }
    setMessage({ text: `Asking ${hostOf(url)} …`, wrong: false });
    try {
      await requireChain(url, chainId);
      const hashes = await Promise.all(numbers.map((number) => hashOf(url, number)));
      onHashes(hashes);
      storeValue(`rpc.${chainId}`, url);
      const count = hashes.length === 1 ? 'One hash is' : `${hashes.length} hashes are`;
      setMessage({
        text: `${count} from ${hostOf(url)}. Trust them as much as you trust it.`,
        wrong: false,
      });
    } catch (error) {
      setMessage({ text: error instanceof Error ? error.message : String(error), wrong: true });
    }
  }
  return (
    <details className="more">
      <summary>Read the hashes from an RPC (this needs a network)</summary>
      <form className={styles.form} onSubmit={(event) => void ask(event)} noValidate>
        <Field
          label={`RPC of chain ${chainId}`}
          hint={`It is asked for the hashes of ${countOf(numbers.length, 'block')}, from your browser.`}
          id={`${id}-rpc`}
          type="url"
          placeholder="https://"
          value={rpcUrl}
          onChange={(event) => setRpcUrl(event.target.value)}
          problem={message?.wrong ? message.text : undefined}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit">Ask for the hashes</Button>
      </form>
      <p className="soft" role="status">
        {message?.wrong === false && message.text}
      </p>
    </details>
  );
}

async function hashOf(url: string, number: string): Promise<string> {
  const height = `0x${BigInt(number).toString(16)}`;
  const block = await askRpc(url, 'eth_getBlockByNumber', [height, false]);
  const hash: unknown = typeof block === 'object' && block !== null && Reflect.get(block, 'hash');
  if (typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)) return hash;
  throw new RpcProblem('A block is missing', `${hostOf(url)} does not know block ${number}.`);
}
