import { type ChangeEvent, useId } from 'react';
import { MAX_BUNDLE_BYTES } from '../../../../engine/verify/bundle/limits.ts';
import { count } from '../../format.ts';
import styles from './bundle.module.css';

/** The file that was chosen; without bytes where it cannot be one. */
export interface FileSelection {
  readonly name: string;
  readonly bytes: Uint8Array | undefined;
  readonly problem: string | undefined;
}

interface FileChoiceProps {
  readonly choice: FileSelection | undefined;
  readonly onChoice: (choice: FileSelection) => void;
}

/** Takes a file by choosing it or by dropping it on the field. */
export function FileChoice({ choice, onChoice }: FileChoiceProps) {
  const id = useId();
  async function take(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0];
    if (file) onChoice(await choiceOf(file));
  }
  return (
    <div className={styles.field}>
      <div className={styles.drop}>
        <label htmlFor={id}>Drop a bundle here, or choose it</label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          onChange={(event) => void take(event)}
        />
        <span className={styles.choose} aria-hidden="true">
          {choice === undefined ? 'Choose a file' : 'Choose another file'}
        </span>
      </div>
      <p className="soft" role="status">
        {choice === undefined
          ? 'No file is chosen.'
          : (choice.problem ?? `${choice.name}, ${sizeOf(choice)}`)}
      </p>
    </div>
  );
}

async function choiceOf(file: File): Promise<FileSelection> {
  const { name, size } = file;
  if (size > MAX_BUNDLE_BYTES) {
    const most = count(MAX_BUNDLE_BYTES);
    const problem = `${name} has ${count(size)} bytes; a bundle has ${most} at most.`;
    return { name, bytes: undefined, problem };
  }
  try {
    return { name, bytes: new Uint8Array(await file.arrayBuffer()), problem: undefined };
  } catch {
    return { name, bytes: undefined, problem: `${name} cannot be read: choose it again.` };
  }
}

function sizeOf({ bytes }: FileSelection): string {
  return `${count(bytes?.length ?? 0)} bytes`;
}
