import { cardPathOf } from '../../../engine/contract/pages.ts';
import { plainText } from '../../../engine/core/plain-text.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { QrCode } from '../components/qr-code.tsx';
import styles from './share.module.css';

/** A page that is shared. */
export interface Shared {
  /** Path of a link, campaign, product or receipt, from `pathOf`. */
  readonly path: string;
  /** Title for the program that it is shared with. */
  readonly title: string;
}

interface Props extends Shared {
  readonly name: string;
  readonly onClose: () => void;
}

/** The ways to share a page. */
export function ShareDialog({ path, title, name, onClose }: Props) {
  const url = `${location.origin}${path}`;
  const card = cardPathOf(path);
  return (
    <Dialog title={name} open onClose={onClose}>
      <div className="stack start">
        <p className={styles.address}>
          <code>{url}</code> <CopyButton text={url} label="address" />
        </p>
        {'share' in navigator && (
          <Button
            main
            onClick={() => {
              // Closing the device’s list of programs rejects the promise: nothing is wrong then.
              navigator.share({ title: plainText(title), url }).catch(() => undefined);
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
    </Dialog>
  );
}
