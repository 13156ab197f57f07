import { useState } from 'react';
import { Link } from 'wouter';
import { canonicalJson } from '../../../../../engine/core/canonical-json.ts';
import { whyNoBundles } from '../../../../../engine/core/known-chains.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../components/button.tsx';
import { saveFile } from '../../../save-file.ts';
import type { Receipt } from '../arithmetic.ts';
import styles from './verify.module.css';

/** The receipt with its proofs as a file, to be checked without any network. */
export function BundleButton({ receipt: { chainId, saleId } }: { readonly receipt: Receipt }) {
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const impossible = whyNoBundles(chainId);
  if (impossible !== undefined) return <p className="soft">{impossible}</p>;
  async function download() {
    setBusy(true);
    setMessage('The proofs are being made …');
    try {
      const { data } = await api.receipts.bundle({ chainId, saleId });
      // The file's one spelling (docs/reference/bundle.md): another does not pass.
      const file = new Blob([canonicalJson(data)], { type: 'application/json' });
      saveFile(`sale-${chainId}-${saleId}.bundle.json`, file);
      setMessage('The bundle is saved.');
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className={styles.bundle}>
      <Button onClick={() => void download()} disabled={busy}>
        Download the bundle
      </Button>
      <p className="soft">
        The receipt with proofs from block headers, which{' '}
        <Link href="/bundle">can be checked offline</Link>. <span role="status">{message}</span>
      </p>
    </div>
  );
}
