import { type ChangeEvent, useRef, useState } from 'react';
import { type UseFormReturn, useFieldArray, useWatch } from 'react-hook-form';
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
  const { api } = useActing();
  const picker = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<readonly Upload[]>([]);
  const chosen = useFieldArray({ control: form.control, name: 'mediaIds' });
  const coverId = useWatch({ control: form.control, name: 'coverId' });
  const items = chosen.fields.flatMap(
    ({ mediaId }) => media.find(({ id }) => id === mediaId) ?? [],
  );
  const update = (id: number, change: Partial<Upload>) =>
    setSent((old) => old.map((one) => (one.id === id ? { ...one, ...change } : one)));

  async function upload(event: ChangeEvent<HTMLInputElement>) {
    const files = [...(event.target.files ?? [])];
    event.target.value = '';
    const added = files.map((file) => {
      uploads += 1;
      return { id: uploads, name: file.name, size: file.size, state: 'waiting' as const, file };
    });
    setSent((old) => [...old.filter(({ state }) => state !== 'done'), ...added]);
    // One after the other: an account may upload only a few files concurrently.
    for (const { id, file } of added) {
      if (file.size > MAX_BYTES) {
        update(id, { state: 'failed', reason: `At most ${fileSize(MAX_BYTES)}.` });
        continue;
      }
      update(id, { state: 'uploading' });
      try {
        const { data } = await api.products.uploadAsset({ id: productId, file });
        onUploaded(data.asset);
        chosen.append({ mediaId: data.asset.id }, { shouldFocus: false });
        if (data.asset.kind === 'image' && form.getValues('coverId') === '') {
          form.setValue('coverId', data.asset.id, { shouldDirty: true });
        }
        update(id, { state: 'done' });
      } catch (error) {
        update(id, { state: 'failed', reason: error instanceof Error ? error.message : '' });
      }
    }
  }

  function remove(index: number, { id }: MediaItem) {
    chosen.remove(index);
    if (coverId === id) form.setValue('coverId', '', { shouldDirty: true });
    if (form.getValues('deliverable') === id) {
      form.setValue('deliverable', '', { shouldDirty: true });
    }
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
            <li key={item.id} className={styles.item}>
              {item.kind === 'image' && item.url ? (
                <img src={item.url} alt={`File ${i + 1}`} />
              ) : (
                <code>{item.id}</code>
              )}
              <span className="soft">
                {item.kind === 'image' ? `${item.width} × ${item.height}, ` : 'Download, '}
                {fileSize(item.size)}
              </span>
              {item.kind === 'image' && (
                <Check radio label="Cover" value={item.id} {...form.register('coverId')} />
              )}
              <span className="actions tight">
                {i > 0 && (
                  <Button
                    quiet
                    onClick={() => chosen.move(i, i - 1)}
                    aria-label="Move to the front"
                  >
                    ←
                  </Button>
                )}
                <Button quiet onClick={() => remove(i, item)} aria-label={`Remove file ${i + 1}`}>
                  Remove
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => void upload(event)}
      />
      <div>
        <Button disabled={chosen.fields.length >= 20} onClick={() => picker.current?.click()}>
          Upload files
        </Button>
      </div>
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

const texts: Readonly<Record<Upload['state'], string>> = {
  waiting: 'waiting',
  uploading: 'uploading…',
  done: 'uploaded. Save the product to keep it.',
  failed: 'not uploaded.',
};
