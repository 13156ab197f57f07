import { keccak256 } from 'viem';
import { type PreparedCall, safeBatch } from '../../../engine/contract/wallet-calls.ts';
import { Button } from '../components/button.tsx';
import { shortHex } from '../format.ts';
import { saveFile } from '../save-file.ts';

interface Props {
  readonly transactions: readonly PreparedCall[];
  /** The account that the transactions were prepared for. */
  readonly address: string;
  /** Name of the action: `Refund`. */
  readonly name: string;
}

/** A button that saves transactions as a file for the owners of a Safe. */
export function SafeDownload({ transactions, address, name }: Props) {
  function download() {
    const batch = safeBatch(transactions, {
      keccak256: (bytes) => keccak256(bytes, 'bytes'),
      safe: address,
      name: `Tributary: ${name}`,
      createdAt: Date.now(),
    });
    const file = new Blob([`${JSON.stringify(batch, null, 2)}\n`], { type: 'application/json' });
    saveFile(`safe-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.json`, file);
  }
  return (
    <p className="soft">
      <Button quiet onClick={download}>
        Download for Safe
      </Button>{' '}
      If {shortHex(address)} is a Safe, its owners can sign this file in the app Transaction
      Builder.
    </p>
  );
}
