import { useState } from 'react';
import { cardPathOf } from '../../../engine/contract/pages.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { QrCode } from '../components/qr-code.tsx';
import styles from './share.module.css';

interface Props {
  /** Path of the page that is shared, from `pathOf`: a link, campaign, product or receipt. */
  readonly path: string;
  /** What it is, for the program that it is shared with. */
  readonly title: string;
  /** Text of the button; default `Share`. */
  readonly name?: string;
}

/** A button that opens the ways to share a page: its address, a QR code, the share card, the programs of the device. */
export function Share({ path, title, name = 'Share' }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      <Dialog title={name} open={open} onClose={() => setOpen(false)}>
        <ShareWays path={path} title={title} />
      </Dialog>
    </>
  );
}

function ShareWays({ path, title }: Props) {
  const url = `${location.origin}${path}`;
  const card = cardPathOf(path);
  return (
    <div className={styles.ways}>
      <p className={styles.address}>
        <code>{url}</code> <CopyButton text={url} label="address" />
      </p>
      {'share' in navigator && (
        <Button
          main
          onClick={() => {
            // Closing the device’s list of programs rejects the promise: nothing is wrong then.
            navigator.share({ title, url }).catch(() => undefined);
          }}
        >
          Share with an app …
        </Button>
      )}
      <QrCode text={url} label={`QR code of ${url}`} />
      <figure className={styles.card}>
        <img src={card} alt={`Share card: ${title}`} width="1200" height="630" />
        <figcaption>
          Sites and messengers show this picture next to the address.{' '}
          <a href={card} download>
            Download it
          </a>
        </figcaption>
      </figure>
    </div>
  );
}
