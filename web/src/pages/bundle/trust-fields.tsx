import { useId } from 'react';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Hash } from '../../components/hash.tsx';
import { Issue } from '../../components/issue.tsx';
import { useStatus } from '../../status.ts';
import { AskForHashes } from './ask-for-hashes.tsx';
import styles from './bundle.module.css';
import type { FileSelection } from './file-choice.tsx';
import type { ReadTrust, TrustText } from './trust.ts';

interface TrustFieldsProps {
  readonly trust: TrustText;
  readonly problems: ReadTrust['problems'];
  readonly choice: FileSelection | undefined;
  readonly onChange: (trust: TrustText) => void;
}

/** Input that no file can prove: which blocks are on the chain, and which contract is expected. */
export function TrustFields({ trust, problems, choice, onChange }: TrustFieldsProps) {
  const id = useId();
  const served = useStatus().data?.data.deployment.contractAddress;
  const add = (hashes: readonly string[]) =>
    onChange({ ...trust, hashes: [trust.hashes.trim(), ...hashes].filter(Boolean).join('\n') });
  return (
    <div className="stack">
      <p className="soft">
        Anyone can invent a block and prove things about it. So enter the hashes of blocks that you
        know to be on the chain, from a node or a block explorer, and the contract that you expect.
      </p>
      <div className={styles.field}>
        <label htmlFor={`${id}-hashes`}>Block hashes, one on each line</label>
        <textarea
          id={`${id}-hashes`}
          className={styles.area}
          rows={3}
          value={trust.hashes}
          onChange={(event) => onChange({ ...trust, hashes: event.target.value })}
          aria-describedby={problems.hashes && `${id}-problem`}
          aria-invalid={problems.hashes !== undefined || undefined}
          spellCheck={false}
          autoComplete="off"
        />
        <Issue id={`${id}-problem`} small of={problems.hashes} />
      </div>
      <Field
        label="Contract"
        hint="The contract that you expect: 0x and 40 hexadecimal digits."
        id={`${id}-contract`}
        value={trust.contract}
        onChange={(event) => onChange({ ...trust, contract: event.target.value })}
        problem={problems.contract}
        spellCheck={false}
        autoComplete="off"
      />
      {served !== undefined && trust.contract.trim() === '' && (
        <p className="soft">
          This service uses contract <Hash value={served} label="contract address" />.{' '}
          <Button onClick={() => onChange({ ...trust, contract: served })}>
            Use this contract
          </Button>
        </p>
      )}
      {choice?.bytes && <AskForHashes bytes={choice.bytes} onHashes={add} />}
    </div>
  );
}
