import { lazy, Suspense, useState } from 'react';
import { Button } from '../components/button.tsx';
import type { Shared } from './share-dialog.tsx';

/** Loaded when it is opened: most readers never do. */
const ShareDialog = lazy(async () => ({
  default: (await import('./share-dialog.tsx')).ShareDialog,
}));

interface Props extends Shared {
  /** Text of the button; default `Share`. */
  readonly name?: string;
}

/** A button that opens the ways to share a page: its address, a QR code, the share card, the programs of the device. */
export function Share({ path, title, name = 'Share it' }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      {open && (
        <Suspense>
          <ShareDialog path={path} title={title} name={name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
