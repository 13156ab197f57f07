import { MINE } from '../account/session.ts';
import { api, type DataOf, useApi } from '../api.ts';
import { Answered } from '../components/answered.tsx';
import { Time } from '../components/time.tsx';
import { count } from '../format.ts';
import styles from './purchase.module.css';

type Access = DataOf<typeof api.fulfillment.access>;

/** Milliseconds after which links are asked for again: they expire 15 minutes after they were made. */
const RENEW_MS = 10 * 60_000;

/** Delivery to the buyer of a sale: downloads, an address, or the merchant’s instructions. */
export function Delivery({ saleId }: { readonly saleId: string }) {
  const query = useApi(
    [MINE, 'fulfillment.access'],
    api.fulfillment.access,
    { saleId },
    { refetchInterval: RENEW_MS },
  );
  return (
    <Answered query={query} what="What you bought">
      {({ data }) => (data.available ? <Available access={data} /> : <NotYet access={data} />)}
    </Answered>
  );
}

function NotYet({ access: { availableFrom } }: { readonly access: Access }) {
  if (availableFrom === null) {
    return <p>The sale was refunded or reversed: it gives access to nothing any more.</p>;
  }
  return (
    <p>
      You get access when the hold of the sale is over: <Time at={availableFrom} />.
    </p>
  );
}

function Available({ access }: { readonly access: Access }) {
  const { mode, downloads, externalUrl, instructions } = access;
  const isEmpty = downloads.length === 0 && externalUrl === null && instructions === null;
  return (
    <div className={styles.stack}>
      {downloads.map(({ mediaId, url, size, sha256, expiresAt }) => (
        <div key={mediaId} className={styles.stack}>
          <p>
            <a href={url} download>
              Download the file
            </a>{' '}
            ({count(size)} bytes)
          </p>
          <p className="soft">
            SHA-256 <code>{sha256}</code>. The address works until <Time exact at={expiresAt} />,
            for you alone; this page then gets a new one.
          </p>
        </div>
      ))}
      {externalUrl !== null && (
        <p>
          The merchant delivers it at{' '}
          <a href={externalUrl} rel="noreferrer nofollow ugc">
            {externalUrl}
          </a>
        </p>
      )}
      {instructions !== null && <p className="lines">{instructions}</p>}
      {isEmpty && (
        <p>
          {mode === 'manual'
            ? 'The merchant delivers it to you, and wrote no instructions here.'
            : 'The merchant has stored nothing to deliver yet. Write to the merchant, or ask for a refund.'}
        </p>
      )}
    </div>
  );
}
