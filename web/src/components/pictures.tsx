import { useState } from 'react';
import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import styles from './pictures.module.css';

type Product = DataOf<Client['products']['get']>;

/** Fields of a product that its pictures are taken from. */
export type Pictured = Pick<Product, 'title' | 'media' | 'coverUrl' | 'coverAlt'>;

interface Picture {
  readonly src: string;
  readonly alt: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The pictures of a product, one large and the others to choose from; nothing if it has none. */
export function Pictures({ product }: { readonly product: Pictured }) {
  const pictures = picturesOf(product);
  const [chosen, setChosen] = useState(0);
  const shown = pictures[chosen] ?? pictures[0];
  if (shown === undefined) return null;
  return (
    <div className={styles.pictures}>
      <img className={styles.large} {...shown} alt={shown.alt} />
      {pictures.length > 1 && (
        <ul className={styles.others}>
          {pictures.map((one, i) => (
            <li key={one.src}>
              <button
                type="button"
                className={styles.other}
                aria-label={`Show picture ${i + 1} of ${pictures.length}`}
                aria-pressed={one === shown}
                onClick={() => setChosen(i)}
              >
                <img src={one.src} alt="" loading="lazy" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The cover of a product as a small picture; nothing if it has none. */
export function Thumbnail({ product }: { readonly product: Pictured }) {
  const [cover] = picturesOf(product);
  if (cover === undefined) return null;
  return <img className={styles.thumbnail} src={cover.src} alt="" loading="lazy" />;
}

/** Pictures of a product, the cover first. */
function picturesOf({ title, media, coverUrl, coverAlt }: Pictured): readonly Picture[] {
  const images = media.filter(({ kind, url }) => kind === 'image' && url !== undefined);
  const covers = images.filter(({ url }) => url === coverUrl);
  const others = images.filter(({ url }) => url !== coverUrl);
  return [...covers, ...others].map(({ url = '', width, height }, i) => ({
    src: new URL(url).pathname,
    alt: url === coverUrl && coverAlt ? coverAlt : `Picture ${i + 1} of ${title}`,
    width,
    height,
  }));
}
