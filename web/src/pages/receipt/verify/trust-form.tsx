import { useId } from 'react';
import { useWallets } from '../../../account/wallets.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { publicRpcsOf } from '../../../rpc/public-rpcs.ts';
import { hostOf } from '../../../rpc/rpc-url.ts';
import {
  type ContractSource,
  isOtherContract,
  type TrustFields,
  type TrustProblems,
} from './trust.ts';
import styles from './verify.module.css';

interface TrustFormProps {
  readonly chainId: number;
  /** The contract as the service names it. */
  readonly servedContract: string;
  readonly fields: TrustFields;
  readonly problems: TrustProblems;
  readonly onChange: (fields: TrustFields) => void;
}

/** Fields for the RPC and the contract to trust; they stay in this browser. */
export function TrustForm({ chainId, servedContract, fields, problems, onChange }: TrustFormProps) {
  const id = useId();
  const change = (changed: Partial<TrustFields>) => onChange({ ...fields, ...changed });
  return (
    <div className={styles.form}>
      <div className={styles.field}>
        {fields.wallet === undefined ? (
          <Field
            label={`RPC of chain ${chainId}`}
            hint={rpcHint(chainId)}
            id={`${id}-rpc`}
            type="url"
            inputMode="url"
            placeholder="https://"
            value={fields.rpcUrl}
            onChange={(event) => change({ rpcUrl: event.target.value })}
            problem={problems.rpcUrl}
            autoComplete="off"
            spellCheck={false}
          />
        ) : (
          <p>
            The RPC of {fields.wallet.name} is asked, with the network that is chosen there.{' '}
            <Button quiet onClick={() => change({ wallet: undefined })}>
              Use an address instead
            </Button>
          </p>
        )}
        <Suggestions chainId={chainId} fields={fields} change={change} />
      </div>
      <div className={styles.field}>
        <Field
          label="Contract"
          hint={
            isOtherContract(fields.contract, servedContract)
              ? `The service names another contract: ${servedContract}`
              : contractHint(fields.contractFrom)
          }
          id={`${id}-contract`}
          value={fields.contract}
          onChange={(event) => change({ contract: event.target.value, contractFrom: 'reader' })}
          problem={problems.contract}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div className={styles.field}>
        <Field
          label="First block to search"
          hint="The block that deployed the contract. It helps if an RPC allows only short searches."
          id={`${id}-from`}
          inputMode="numeric"
          value={fields.fromBlock}
          onChange={(event) => change({ fromBlock: event.target.value })}
          problem={problems.fromBlock}
          autoComplete="off"
        />
      </div>
    </div>
  );
}

interface SuggestionsProps {
  readonly chainId: number;
  readonly fields: TrustFields;
  readonly change: (changed: Partial<TrustFields>) => void;
}

/** Public RPCs of the chain and the browser's wallets, each at a click. */
function Suggestions({ chainId, fields, change }: SuggestionsProps) {
  const wallets = useWallets();
  const urls = publicRpcsOf(chainId).filter(
    (url) => url !== fields.rpcUrl || fields.wallet !== undefined,
  );
  const others = wallets.filter(({ wallet }) => wallet !== fields.wallet?.wallet);
  if (urls.length === 0 && others.length === 0) return null;
  return (
    <p className={styles.suggestions}>
      {urls.map((url) => (
        <Button key={url} onClick={() => change({ rpcUrl: url, wallet: undefined })}>
          Use {hostOf(url)}
        </Button>
      ))}
      {others.map(({ id, name, wallet }) => (
        <Button key={id} onClick={() => change({ wallet: { name, wallet } })}>
          Use the RPC of {name}
        </Button>
      ))}
    </p>
  );
}

function contractHint(from: ContractSource): string {
  if (from === 'reader') return 'The contract that you expect.';
  if (from === 'build') return 'The contract that this version of the page knows for the chain.';
  return 'The contract that the service names. Compare it with a source that you trust.';
}

function rpcHint(chainId: number): string {
  return chainId === 31_337
    ? 'A local chain. Its address is on the screen of npm start.'
    : 'Any RPC that you trust and that web pages may ask. Your browser asks it; we learn nothing of it.';
}
