import { type ChangeEvent, useRef, useState } from 'react';
import {
  type UseFormRegisterReturn,
  type UseFormReturn,
  useFieldArray,
  useWatch,
} from 'react-hook-form';
import { Button } from '../../../components/button.tsx';
import { Check } from '../../../components/check.tsx';
import { Field } from '../../../components/field.tsx';
import { Issue } from '../../../components/issue.tsx';
import { inputOf, problemOf } from '../../../form-issues.ts';
import { useActing } from '../acting.tsx';
import { fileSize } from './file-size.ts';
import type { OwnProduct, ProductValues } from './product-values.ts';
import styles from './products.module.css';

type MediaItem = OwnProduct['media'][number];

/** A file on its way: what became of it. */
interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly state: 'waiting' | 'uploading' | 'done' | 'failed';
  readonly reason?: string;
}

interface Props {
  readonly productId: string;
  readonly form: UseFormReturn<ProductValues>;
  /** Files that the product has or that were uploaded for it. */
  readonly media: readonly MediaItem[];
  readonly onUploaded: (item: MediaItem) => void;
}

/** Largest file that the service takes, bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

let uploads = 0;

/** Pictures and downloads of a product: upload, order, cover, removal. They belong to it once it is saved. */
export function ProductMedia({ productId, form, media, onUploaded }: Props) {
  const picker = useRef<HTMLInputElement>(null);
  const chosen = useFieldArray({ control: form.control, name: 'mediaIds' });
  const coverId = useWatch({ control: form.control, name: 'coverId' });
  const [sent, upload] = useUploads(productId, (item) => {
    onUploaded(item);
    chosen.append({ mediaId: item.id }, { shouldFocus: false });
    if (item.kind === 'image' && form.getValues('coverId') === '') {
      form.setValue('coverId', item.id, { shouldDirty: true });
    }
  });
  const items = chosen.fields.flatMap(
    ({ mediaId }) => media.find(({ id }) => id === mediaId) ?? [],
  );
  function remove(index: number, { id }: MediaItem) {
    chosen.remove(index);
    for (const name of ['coverId', 'deliverable'] as const) {
      if (form.getValues(name) === id) form.setValue(name, '', { shouldDirty: true });
    }
  }
  function uploadChosen({ target }: ChangeEvent<HTMLInputElement>) {
    void upload([...(target.files ?? [])]);
    target.value = '';
  }
  return (
    <>
      <p className="soft">
        Pictures: PNG, JPEG, WebP, GIF or AVIF, at most 5 MiB and 8,192 pixels a side. Everyone can
        see them. Other files: at most 10 MiB; only buyers get them. A product has at most 20 files.
      </p>
      {items.length > 0 && (
        <ul className={styles.media}>
          {items.map((item, i) => (
            <Item
              key={item.id}
              item={item}
              number={i + 1}
              cover={form.register('coverId')}
              onForward={() => chosen.move(i, i - 1)}
              onRemove={() => remove(i, item)}
            />
          ))}
        </ul>
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={uploadChosen}
      />
      <div>
        <Button disabled={chosen.fields.length >= 20} onClick={() => picker.current?.click()}>
          Upload files
        </Button>
      </div>
      <Uploads sent={sent} />
      <Issue small of={problemOf(form, 'coverId')} />
      {coverId !== '' && (
        <Field
          label="Description of the cover"
          hint="For people who cannot see it."
          maxLength={300}
          {...inputOf(form, 'coverAlt')}
        />
      )}
    </>
  );
}

/** Files that were sent for a product, with their states, and the function that sends more. */
function useUploads(productId: string, onUploaded: (item: MediaItem) => void) {
  const { api } = useActing();
  const [sent, setSent] = useState<readonly Upload[]>([]);
  const update = (id: number, change: Partial<Upload>) =>
    setSent((old) => old.map((one) => (one.id === id ? { ...one, ...change } : one)));

  async function send(id: number, file: File) {
    if (file.size > MAX_BYTES) {
      update(id, { state: 'failed', reason: `At most ${fileSize(MAX_BYTES)}.` });
      return;
    }
    update(id, { state: 'uploading' });
    try {
      const { data } = await api.products.uploadAsset({ id: productId, file });
      onUploaded(data.asset);
      update(id, { state: 'done' });
    } catch (error) {
      update(id, { state: 'failed', reason: error instanceof Error ? error.message : '' });
    }
  }

  async function upload(files: readonly File[]) {
    const added = files.map((file) => {
      uploads += 1;
      return { id: uploads, name: file.name, size: file.size, state: 'waiting' as const, file };
    });
    setSent((old) => [...old.filter(({ state }) => state !== 'done'), ...added]);
    // One after the other: an account may upload only a few files concurrently.
    for (const { id, file } of added) await send(id, file);
  }
  return [sent, upload] as const;
}

interface ItemProps {
  readonly item: MediaItem;
  /** Its place in the list; the first is 1. */
  readonly number: number;
  /** Field that chooses the cover. */
  readonly cover: UseFormRegisterReturn;
  readonly onForward: () => void;
  readonly onRemove: () => void;
}

function Item({ item, number, cover, onForward, onRemove }: ItemProps) {
  const { id, kind, url, size, width, height } = item;
  return (
    <li className={styles.item}>
      {kind === 'image' && url ? <img src={url} alt={`File ${number}`} /> : <code>{id}</code>}
      <span className="soft">
        {kind === 'image' ? `${width} × ${height}, ` : 'Download, '}
        {fileSize(size)}
      </span>
      {kind === 'image' && <Check radio label="Cover" value={id} {...cover} />}
      <span className="actions tight">
        {number > 1 && (
          <Button quiet onClick={onForward} aria-label="Move to the front">
            ←
          </Button>
        )}
        <Button quiet onClick={onRemove} aria-label={`Remove file ${number}`}>
          Remove
        </Button>
      </span>
    </li>
  );
}

function Uploads({ sent }: { readonly sent: readonly Upload[] }) {
  return (
    <div role="status">
      {sent.length > 0 && (
        <ul>
          {sent.map(({ id, name, size, state, reason }) => (
            <li key={id} className={state === 'failed' ? 'issue small' : 'soft'}>
              {name} ({fileSize(size)}): {texts[state]} {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const texts: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waiting',
  uploading: 'uploading…',
  done: 'uploaded. Save the product to keep it.',
  failed: 'not uploaded.',
};
