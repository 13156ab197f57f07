import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import styles from './picture.module.css';

type Media = DataOf<Client['campaigns']['list']>['items'][number]['product']['media'][number];

interface PictureProps {
  /** Files of a product, or a logo. The first image is shown. */
  readonly media: readonly Media[];
  /** Text for readers who do not see it; empty if the text next to it says the same. */
  readonly alt: string;
  /** `thumb` for a row of a table, `cover` for a card. */
  readonly size: 'thumb' | 'cover';
  /** Name of the pictured thing: without a picture, its first letter is shown. */
  readonly name?: string;
}

/** A picture that a merchant uploaded, or an empty area of the same size. */
export function Picture({ media, alt, size, name = '' }: PictureProps) {
  const image = media.find(({ kind, url }) => kind === 'image' && url !== undefined);
  if (image?.url === undefined) {
    return (
      <span className={`${styles[size]} ${styles.none}`} aria-hidden="true">
        {name.slice(0, 1)}
      </span>
    );
  }
  return (
    <img
      // Files are served by the service that these pages are from.
      src={new URL(image.url, location.origin).pathname}
      alt={alt}
      width={image.width}
      height={image.height}
      loading="lazy"
      className={styles[size]}
    />
  );
}
