import { useSyncExternalStore } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { QrCode } from '../components/qr-code.tsx';
import styles from './account.module.css';
import { pairing } from './walletconnect.ts';

/** The QR code that a wallet on a phone scans; nothing while no wallet is being paired. */
export function PairingDialog() {
  const uri = useSyncExternalStore(pairing.subscribe, pairing.current);
  if (uri === undefined) return null;
  return (
    <Dialog title="Pair your wallet" open onClose={pairing.cancel}>
      <div className={styles.step}>
        <p>Scan this code with your wallet’s app. On this device, open the app instead.</p>
        <QrCode text={uri} label="Code that pairs your wallet with this page" />
        <p>
          <a href={uri}>Open a wallet on this device</a>
        </p>
        <p className="soft">
          Or paste the code’s text in the wallet: <CopyButton text={uri} label="pairing code" />
        </p>
      </div>
    </Dialog>
  );
}
