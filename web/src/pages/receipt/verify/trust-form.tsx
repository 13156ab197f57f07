import { type FormEvent, useId, useState } from 'react';
import type { Address } from '../../../../../engine/core/events.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { rpcUrlProblem } from '../../../rpc/rpc-url.ts';
import { storedValue, storeValue } from '../../../storage.ts';
import styles from './verify.module.css';

/** An RPC and a contract that a reader trusts instead of us. */
export interface Trust {
  readonly rpcUrl: string;
  readonly contractAddress: Address;
  /** Decimal digits. */
  readonly fromBlock: string;
}

interface TrustFormProps {
  readonly chainId: number;
  /** The contract as the service names it. */
  readonly servedContract: string;
  readonly running: boolean;
  readonly onVerify: (trust: Trust) => void;
  readonly onStop: () => void;
}

/** Asks which RPC and which contract to trust; both stay in this browser. */
export function TrustForm(props: TrustFormProps) {
  const { chainId, servedContract, running, onVerify, onStop } = props;
  const id = useId();
  const [rpcUrl, setRpcUrl] = useState(() => rpcInLink() ?? storedValue(`rpc.${chainId}`) ?? '');
  const [contract, setContract] = useState(
    () => storedValue(`contract.${chainId}`) ?? servedContract,
  );
  const [fromBlock, setFromBlock] = useState(() => storedValue(`from.${chainId}`) ?? '0');
  const [shown, setShown] = useState(false);
  const problems = {
    rpcUrl: rpcUrlProblem(rpcUrl.trim()),
    contract: isAddress(contract.trim()) ? undefined : 'Give 0x and 40 hexadecimal digits.',
    fromBlock: isBlock(fromBlock.trim()) ? undefined : 'Give the number of a block.',
  };
  function submit(event: FormEvent) {
    event.preventDefault();
    setShown(true);
    const contractAddress = contract.trim().toLowerCase();
    const wrong = Object.values(problems).some((problem) => problem !== undefined);
    if (wrong || !isAddress(contractAddress)) return;
    storeValue(`rpc.${chainId}`, rpcUrl.trim());
    storeValue(`contract.${chainId}`, contractAddress);
    storeValue(`from.${chainId}`, fromBlock.trim());
    onVerify({ rpcUrl: rpcUrl.trim(), contractAddress, fromBlock: fromBlock.trim() });
  }
  const differs = isAddress(contract.trim()) && !sameHex(contract, servedContract);
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <Field
        label={`RPC of chain ${chainId}`}
        hint={rpcHint(chainId)}
        id={`${id}-rpc`}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={rpcUrl}
        onChange={(event) => setRpcUrl(event.target.value)}
        problem={shown ? problems.rpcUrl : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label="Contract"
        hint={
          differs
            ? `Yours. The service names another: ${servedContract}`
            : 'As the service names it. Compare it with where you know it from.'
        }
        id={`${id}-contract`}
        value={contract}
        onChange={(event) => setContract(event.target.value)}
        problem={shown ? problems.contract : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <details className={styles.more}>
        <summary>Where to search from</summary>
        <Field
          label="First block"
          hint="The block that deployed the contract spares an RPC with narrow limits much searching."
          id={`${id}-from`}
          inputMode="numeric"
          value={fromBlock}
          onChange={(event) => setFromBlock(event.target.value)}
          problem={shown ? problems.fromBlock : undefined}
          autoComplete="off"
        />
      </details>
      <p className={styles.actions}>
        <Button main type="submit" disabled={running}>
          {running ? 'Verifying …' : 'Verify in this browser'}
        </Button>
        {running && <Button onClick={onStop}>Stop</Button>}
      </p>
    </form>
  );
}

function rpcHint(chainId: number): string {
  return chainId === 31_337
    ? 'A local chain: its address is on the screen of npm start.'
    : 'Any that you trust and that serves browsers; it is asked from here, and we learn nothing of it.';
}

/** `#rpc=…` of the address: a link may suggest an RPC, and no server ever sees what is behind #. */
function rpcInLink(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('rpc') ?? undefined;
}

function isAddress(text: string): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

function isBlock(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(text);
}

function sameHex(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
